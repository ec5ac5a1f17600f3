// @ts-check
/**
 * The shapes that the page and the server share, as in messages.py, for the type checker alone: nothing here runs.
 *
 * @typedef {"black" | "white"} Colour
 * @typedef {{kind: "triangle"|"square"|"circle"|"cross"|"selected"|"label", cell: string, text?: string}} Mark
 * @typedef {{id: number, parent: number|null, colour?: Colour|null, move?: string|null,
 *   setup?: Record<string, Colour|null>, turn?: Colour|null, comment?: string, marks?: Mark[],
 *   seconds?: number|null, value?: number|null}} NodeMessage
 * @typedef {{seconds: number, increment: number}} ClockSetting
 * @typedef {{black: number, white: number, running: Colour|null}} Clocks
 * @typedef {{turn: Colour, can_swap: boolean, winner?: Colour|null, how?: ""|"connection"|"resign"|"time",
 *   chain?: string[], thinking?: boolean, clocks?: Clocks|null}} Status
 * @typedef {{width: number, height: number, swap: boolean, black: string, white: string, clock: ClockSetting|null,
 *   teaching: boolean, thinking: boolean, title: string}} GameSettings
 * @typedef {{id: string, revision: number, settings: GameSettings, names: Record<Colour, string>, created: number,
 *   nodes: NodeMessage[], current: number, status: Status}} GameMessage
 * @typedef {{id: string, title: string, names: Record<Colour, string>, width: number, height: number, moves: number,
 *   winner: Colour|null, changed: number, stones: Record<Colour, string[]>}} Summary
 * @typedef {{type: "change", game: string, revision: number, nodes?: NodeMessage[], removed?: number[],
 *   first?: number|null, current: number, status: Status, settings?: GameSettings|null,
 *   names?: Record<Colour, string>|null}} ChangeMessage
 * @typedef {{move: string, visits: number, value: number, loss: number, prior: number, proof: -1|0|1,
 *   variation: string[]}} Candidate
 * @typedef {{type: "analysis", game: string, node: number, slot: number, player: string, visits: number, value: number,
 *   proof: -1|0|1, candidates: Candidate[], seconds: number, done: boolean}} Analysis
 * @typedef {{type: "hint", request: number, node: number, move: string, value: number, reason: string}} Advice
 * @typedef {{type: "warning", game: string, node: number, loss: number, better: string, reason: string,
 *   carrier: string[]}} Warned
 * @typedef {{ends: [string, string], carrier: string[]}} LinkMessage
 * @typedef {{winning_carrier: string[]|null, links: LinkMessage[]}} Connections
 * @typedef {{fill: Record<Colour, string[]>, dead: string[], pruned: Record<string, string>}} Inferior
 * @typedef {{black: number|null, white: number|null, black_value: number, energy: Record<string, number>}} Resistance
 * @typedef {{winner: Colour|null, winning: string[], losing: string[], variation: string[], text: string}} Verdict
 * @typedef {{type: "knowledge", request: number, game: string, node: number,
 *   connections?: Record<Colour, Connections>|null, must_play?: string[]|null, inferior?: Inferior|null,
 *   resistance?: Resistance|null, solver?: Verdict|null, policy?: Record<string, number>|null,
 *   ownership?: Record<string, number>|null}} Knowledge
 * @typedef {{node: number, before: number, after: number, loss: number, best: string, variation: string[],
 *   proven: boolean}} Reviewed
 * @typedef {{opening: string, value: number, should: boolean, did: boolean, text: string}} SwapAdvice
 * @typedef {{type: "review", request: number, game: string, done: boolean, share: number, moves: Reviewed[],
 *   mistakes: number[], swap?: SwapAdvice|null}} ReviewMessage
 * @typedef {{name: string, title: string, text: string, player: string, elo: Record<string, number[]>}} Level
 * @typedef {{version: string, protocol: number, levels: Level[], kinds: any[], sizes: number[], htp: boolean,
 *   runs: boolean}} About
 */
export {};
