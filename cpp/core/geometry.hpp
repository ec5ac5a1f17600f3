// What never changes on a board of one size: neighbours, edges, Zobrist keys.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>

#include "bits.hpp"
#include "random.hpp"

namespace fingal {

enum Colour : std::uint8_t { kBlack = 0, kWhite = 1 };
constexpr int kNobody = -1;

constexpr Colour other(Colour colour) { return Colour(1 - colour); }

// What a move on one cell needs, side by side in memory.
template <int Words>
struct Cell {
  Bits<Words> neighbours;
  std::array<std::uint64_t, 2> key;       // Zobrist keys, by colour
  std::array<std::uint8_t, 2> touches{};  // by colour: bit 0 and bit 1 say on which of its edges the cell lies
};

// Cells are numbered row by row from the top-left corner: cell = row * width + column.
// (r, c) touches (r, c +- 1), (r +- 1, c), (r - 1, c + 1), (r + 1, c - 1).
template <int Words>
struct Geometry {
  int width;
  int height;
  int cells;
  Bits<Words> all;
  Bits<Words> first_column;
  Bits<Words> last_column;
  // edge[colour][0 or 1]: Black's top and bottom row, White's left and right column.
  std::array<std::array<Bits<Words>, 2>, 2> edge;
  std::array<Cell<Words>, 64 * Words> cell;
  std::uint64_t white_to_move;

  Geometry(int w, int h) : width(w), height(h), cells(w * h) {
    // Keyed by size, so that boards of different sizes have unrelated hashes.
    Random random(std::uint64_t(w) * 64 + std::uint64_t(h));
    for (auto& c : cell) c.key = {random(), random()};
    white_to_move = random();
    for (int row = 0; row < h; ++row) {
      for (int column = 0; column < w; ++column) {
        const int at = row * w + column;
        all.set(at);
        if (column == 0) first_column.set(at);
        if (column == w - 1) last_column.set(at);
        const bool on[2][2] = {{row == 0, row == h - 1}, {column == 0, column == w - 1}};
        for (std::size_t colour = 0; colour < 2; ++colour) {
          for (std::size_t side = 0; side < 2; ++side) {
            if (!on[colour][side]) continue;
            edge[colour][side].set(at);
            cell[std::size_t(at)].touches[colour] |= std::uint8_t(1u << side);
          }
        }
      }
    }
    all.for_each([&](int at) {
      const auto one = Bits<Words>::of(at);
      cell[std::size_t(at)].neighbours = dilate(one) - one;
    });
  }

  // `cells` and everything that touches them.
  Bits<Words> dilate(const Bits<Words>& set) const {
    const auto with_right = set | (set - last_column).up(1);
    const auto with_left = set | (set - first_column).down(1);
    return (with_right | with_left | with_right.down(width) | with_left.up(width)) & all;
  }
};

// The one shared instance of a size; lives for ever.
template <int Words>
const Geometry<Words>& geometry(int width, int height) {
  static std::array<std::unique_ptr<Geometry<Words>>, std::size_t((kMaxSide + 1) * (kMaxSide + 1))> made;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto& slot = made[std::size_t(width * (kMaxSide + 1) + height)];
  if (!slot) slot = std::make_unique<Geometry<Words>>(width, height);
  return *slot;
}

// Expands a macro for every number of words that there is: for templates that are instantiated in one file.
#define FINGAL_FOR_EACH_WORDS(instantiate) \
  instantiate(1) instantiate(2) instantiate(3) instantiate(4) instantiate(5) instantiate(6)

// Calls f.template operator()<Words>() with the number of words that `cells` cells need.
template <class F>
decltype(auto) with_words(int cells, F&& f) {
  switch (words_for(cells)) {
    case 1: return f.template operator()<1>();
    case 2: return f.template operator()<2>();
    case 3: return f.template operator()<3>();
    case 4: return f.template operator()<4>();
    case 5: return f.template operator()<5>();
    default: return f.template operator()<6>();
  }
}

}  // namespace fingal
