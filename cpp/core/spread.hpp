// Bits as bytes: one byte, 0 or 1, for each cell of a set.
#pragma once

#include <cstring>

#include "bits.hpp"

namespace fingal {

// Bytes are written several at a time, as words of which byte i is the i-th in memory.
static_assert(std::endian::native == std::endian::little);

// kSpread[b]: byte i is bit i of b.
inline constexpr auto kSpread = [] {
  std::array<std::uint64_t, 256> table{};
  for (unsigned b = 0; b < 256; ++b) {
    for (unsigned i = 0; i < 8; ++i) table[b] |= std::uint64_t((b >> i) & 1) << (8 * i);
  }
  return table;
}();

// The first `count` cells of a set, a byte each; `out` has room for no more. Byte is bool or std::uint8_t.
template <int Words, class Byte>
void spread(const Bits<Words>& set, int count, Byte* out) {
  static_assert(sizeof(Byte) == 1);
  int cell = 0;
  for (; cell + 8 <= count; cell += 8) {
    const auto eight = kSpread[(set.word[std::size_t(cell) / 64] >> (cell & 63)) & 255];
    std::memcpy(out + cell, &eight, 8);
  }
  if (cell == count) return;
  const auto eight = kSpread[(set.word[std::size_t(cell) / 64] >> (cell & 63)) & 255];
  std::memcpy(out + cell, &eight, std::size_t(count - cell));
}

}  // namespace fingal
