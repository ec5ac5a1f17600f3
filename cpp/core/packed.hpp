// Packed positions: into arrays, and out of arrays from outside, checked.
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>

#include "position.hpp"

namespace fingal {

// Black's and White's stones of position `index` of `count`, from stones [2, count, Words]. Throws
// std::invalid_argument when they lie on each other or off the board.
template <int Words>
std::array<Bits<Words>, 2> unpacked(const Geometry<Words>& g, std::span<const std::uint64_t> stones, std::size_t count,
                                    std::size_t index) {
  std::array<Bits<Words>, 2> side;
  for (std::size_t colour = 0; colour < 2; ++colour) {
    const auto from = stones.subspan((colour * count + index) * Words, Words);
    std::copy(from.begin(), from.end(), side[colour].word.begin());
  }
  if (side[0].intersects(side[1]) || ((side[0] | side[1]) - g.all).any()) {
    throw std::invalid_argument("position " + std::to_string(index) + " has stones on each other or off the board");
  }
  return side;
}

// The way back: the stones of a position become those of number `index` of `count` in stones [2, count, Words].
template <int Words>
void pack_stones(const Position<Words>& position, std::span<std::uint64_t> stones, std::size_t count,
                 std::size_t index) {
  for (const auto colour : {kBlack, kWhite}) {
    const auto& word = position.stones(colour).word;
    std::copy(word.begin(), word.end(), stones.subspan((colour * count + index) * Words, Words).begin());
  }
}

}  // namespace fingal
