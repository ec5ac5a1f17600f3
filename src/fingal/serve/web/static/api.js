// @ts-check
/** The server's HTTP interface: JSON there and back, refusals as errors with the server's sentence. */

import { Refused } from "./socket.js";

/**
 * @param {string} path below /api @param {"GET" | "POST" | "DELETE"} [method] @param {any} [body]
 * @returns {Promise<any>}
 */
export async function api(path, method = "GET", body = undefined) {
  /** @type {RequestInit} */
  const request = { method };
  if (body !== undefined)
    Object.assign(request, { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } });
  let answer;
  try {
    answer = await fetch(`/api/${path}`, request);
  } catch {
    throw new Refused("lost", "There is no connection to the server at the moment.");
  }
  if (answer.status === 204) return null;
  const text = await answer.text();
  let said = null;
  try {
    said = JSON.parse(text);
  } catch {
    if (answer.ok) return text;
  }
  if (!answer.ok) throw new Refused(said?.code ?? "failed", said?.message ?? `The server answered ${answer.status}.`);
  return said;
}

/** Where an export of a game is. @param {string} game @param {string} format @param {number} [node] */
export function exportAddress(game, format, node) {
  return `/api/games/${encodeURIComponent(game)}/export?format=${format}${node === undefined ? "" : `&node=${node}`}`;
}
