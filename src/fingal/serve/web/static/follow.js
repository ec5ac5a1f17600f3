// @ts-check
/** Following a game on the server: the game is kept as it is there, also after the connection was lost. */

import { Game } from "./game.js";

/** @typedef {import("./socket.js").Socket} Socket */

/**
 * @param {Socket} socket @param {string} id
 * @returns {Promise<{game: Game, stop: () => void}>} stop: hear no more
 */
export async function follow(socket, id) {
  await opened(socket);
  const answer = await socket.ask("follow", { game: id });
  const game = new Game(socket, answer.game);
  const again = () => {
    socket.ask("follow", { game: id }).then(
      (whole) => game.whole(whole.game),
      () => {},
    );
  };
  const ends = [
    socket.on("change", (message) => {
      if (message.game !== id) return;
      // One that was missed leaves a gap in the revisions: then the whole game is asked for.
      if (message.revision > game.revision + 1) again();
      else if (message.revision >= game.revision) game.change(message);
    }),
    socket.on("game", (message) => message.game.id === id && game.whole(message.game)),
    socket.on("open", again),
  ];
  return { game, stop: () => ends.forEach((end) => end()) };
}

/** Wait for the connection. @param {Socket} socket @returns {Promise<void>} */
function opened(socket) {
  if (socket.connection.state === "open") return Promise.resolve();
  return new Promise((done) => {
    const end = socket.on("open", () => {
      end();
      done();
    });
  });
}
