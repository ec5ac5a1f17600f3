// What connections say of many positions.
#pragma once

#include <cstdint>
#include <span>

namespace fingal {

// stones [2, n, words], white_to_move [n]. Written are proof [n] (1: the side to move wins, -1: it loses, 0: not
// known), winning [n] (a move that wins, -1 where none is known) and moves [n, cells] (those that are worth trying; all
// of them when the game is decided). Throws std::invalid_argument for stones that cannot be, or a game that is over.
void judge_by_connections(int width, int height, int threads, std::span<const std::uint64_t> stones,
                          std::span<const bool> white_to_move, std::span<std::int8_t> proof,
                          std::span<std::int32_t> winning, std::span<bool> moves);

}  // namespace fingal
