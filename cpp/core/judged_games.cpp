#include "judged_games.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cell.hpp"
#include "game_knowledge.hpp"
#include "threads.hpp"

namespace fingal {
namespace {

template <int Words>
class SizedJudgedGames final : public JudgedGames {
 public:
  SizedJudgedGames(int width, int height, std::int64_t count, bool connections, int threads)
      : JudgedGames(width, height, count),
        geometry_(&geometry<Words>(width, height)),
        connections_(connections),
        named_(std::size_t(count)),
        rooms_(std::size_t(threads)),
        threads_(threads) {
    for (std::int64_t i = 0; i < count; ++i) games_.emplace_back(*geometry_);
  }

  void reset() override {
    for (auto& game : games_) {
      game.position = Position<Words>(*geometry_);
      game.verdict = {};
      if (game.knowledge) game.knowledge->begin();
    }
  }

  void play(std::span<const std::int32_t> games, std::span<const std::int32_t> cell, std::span<bool> over) override {
    check(games);
    for (std::size_t i = 0; i < games.size(); ++i) {
      const auto& position = games_[std::size_t(games[i])].position;
      if (cell[i] < 0 || cell[i] >= cells() || !position.empty().test(cell[i])) {
        throw std::invalid_argument("cell " + std::to_string(cell[i]) + " is not an empty cell of game " +
                                    std::to_string(games[i]));
      }
    }
    for (std::size_t i = 0; i < games.size(); ++i) {
      auto& game = games_[std::size_t(games[i])];
      if (game.knowledge && game.knowledge->winner() == game.position.turn() && cell[i] != game.verdict.winning) {
        game.knowledge->forget();
      }
      game.verdict = {};
      game.position.play(cell[i]);
      over[i] = game.position.over();
    }
  }

  void judge(std::span<const std::int32_t> games, std::span<std::int8_t> proof, std::span<std::int32_t> winning,
             std::span<bool> moves) override {
    check(games);
    // One at a time to whoever is free: some take ten times as long as others.
    std::atomic<std::size_t> next = 0;
    threads_.split(std::int64_t(rooms_.size()), [&](std::int64_t begin, std::int64_t end) {
      if (begin == end) return;
      for (std::size_t i; (i = next++) < games.size();) {
        auto& game = games_[std::size_t(games[i])];
        judge(game, rooms_[std::size_t(begin)]);
        proof[i] = std::int8_t(game.verdict.proof);
        winning[i] = game.verdict.winning;
        write(game.verdict.moves, i, moves);
      }
    });
  }

 private:
  using Set = Bits<Words>;
  using Room = std::optional<typename GameKnowledge<Words>::Room>;  // made when it is first needed

  struct Game {
    explicit Game(const Geometry<Words>& g) : position(g) {}

    Position<Words> position;
    GameVerdict<Words> verdict{};                       // the last one
    std::unique_ptr<GameKnowledge<Words>> knowledge{};  // it is large: made when it is first needed
  };

  void judge(Game& game, Room& room) const {
    const auto& position = game.position;
    if (const auto wins = position.winning_cells(position.turn()); wins.any()) {
      game.verdict = {kWon, Move(wins.lowest()), position.empty()};
    } else if (!connections_) {
      game.verdict = {kUnknown, -1, position.empty()};
    } else if (is_early(position)) {
      const auto inferior = compute_inferior(position, position.turn(), {false, true});
      const auto left = position.empty() - (inferior.fill[kBlack] | inferior.fill[kWhite] | inferior.pruned);
      game.verdict = {kUnknown, -1, left.any() ? left : position.empty()};
    } else {
      if (!room) room.emplace(*geometry_);
      if (!game.knowledge) game.knowledge = std::make_unique<GameKnowledge<Words>>(*geometry_);
      game.verdict = game.knowledge->judge(position, *room);
    }
  }

  // A search for connections costs the same after one move as after several, and with this few stones it decides
  // nothing: on boards beyond 7x7.
  bool is_early(const Position<Words>& position) const {
    const int stones = position.stones(kBlack).count() + position.stones(kWhite).count();
    return stones < 2 * (std::min(width(), height()) - 7);
  }

  void check(std::span<const std::int32_t> games) {
    ++calls_;
    for (const auto number : games) {
      if (number < 0 || number >= count()) {
        throw std::invalid_argument("game " + std::to_string(number) + " is not one of " + std::to_string(count()));
      }
      if (games_[std::size_t(number)].position.over()) {
        throw std::invalid_argument("game " + std::to_string(number) + " is over");
      }
      if (std::exchange(named_[std::size_t(number)], calls_) == calls_) {
        throw std::invalid_argument("game " + std::to_string(number) + " is named twice");
      }
    }
  }

  void write(const Set& set, std::size_t row, std::span<bool> out) const {
    const auto width = std::size_t(cells());
    for (std::size_t cell = 0; cell < width; ++cell) out[row * width + cell] = set.test(int(cell));
  }

  const Geometry<Words>* geometry_;
  bool connections_;
  std::vector<Game> games_;
  std::vector<std::uint64_t> named_;  // by game: the last call that named it
  std::uint64_t calls_ = 0;
  std::vector<Room> rooms_;  // one a thread
  Threads threads_;
};

}  // namespace

std::unique_ptr<JudgedGames> JudgedGames::make(int width, int height, std::int64_t count, bool connections,
                                               int threads) {
  check_size(width, height);
  if (count < 1) throw std::invalid_argument(std::to_string(count) + " games are not possible: at least 1");
  if (threads < 1) throw std::invalid_argument(std::to_string(threads) + " threads are not possible: at least 1");
  return with_words(width * height, [&]<int Words>() -> std::unique_ptr<JudgedGames> {
    return std::make_unique<SizedJudgedGames<Words>>(width, height, count, connections, threads);
  });
}

}  // namespace fingal
