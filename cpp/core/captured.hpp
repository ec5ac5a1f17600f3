// Pairs of cells that a stone would capture: once it is there, whatever the opponent plays in the pair, the answer in
// the other cell leaves that stone dead. So both cells count as the owner's, and two connections may share them.
#pragma once

#include <vector>

#include "geometry.hpp"

namespace fingal {

template <int Words>
class CapturedPairs {
 public:
  using Set = Bits<Words>;

  CapturedPairs(const Geometry<Words>& g, Colour colour)
      : geometry_(&g), colour_(colour), cells_(std::size_t(g.cells) + 2), pairs_(cells_.size()) {}

  void compute(const Set& own, const Set& empty) {
    for (auto& set : cells_) set = Set{};
    for (auto& pairs : pairs_) pairs.clear();
    std::array<std::uint8_t, 64 * Words> around;
    Set hemmed;  // fewer than two owner's neighbours: even with the stone and the answer it would live
    empty.for_each([&](int u) {
      around[std::size_t(u)] = owned_around(u, own);
      if (std::popcount(around[std::size_t(u)]) >= 2) hemmed.set(u);
    });
    hemmed.for_each([&](int u) {
      for (int to_v = 0; to_v < 3; ++to_v) {
        const int v = neighbour(u, to_v);
        if (v < 0 || !hemmed.test(v)) continue;
        const auto near =
            (geometry_->cell[std::size_t(u)].neighbours | geometry_->cell[std::size_t(v)].neighbours) & empty;
        near.for_each([&](int x) {
          if (x == u || x == v) return;
          const unsigned by_u = around[std::size_t(u)] | 1u << to_v | direction(u, x);
          const unsigned by_v = around[std::size_t(v)] | 1u << (to_v + 3) | direction(v, x);
          if (!is_dead(by_u) || !is_dead(by_v)) return;
          Set pair = Set::of(u);
          pair.set(v);
          pairs_[std::size_t(x)].push_back(pair);
          cells_[std::size_t(x)] |= pair;
        });
      }
    });
  }

  // All cells that a stone on `end` captures; none for stones and edges.
  const Set& cells(int end) const { return cells_[std::size_t(end)]; }
  const std::vector<Set>& pairs(int end) const { return pairs_[std::size_t(end)]; }

 private:
  static constexpr int kRow[6] = {0, 1, 1, 0, -1, -1};
  static constexpr int kColumn[6] = {1, 0, -1, -1, 0, 1};

  // The neighbour in one of six directions, going round; direction d + 3 leads back. -1 off the board.
  int neighbour(int cell, int direction) const {
    const int row = cell / geometry_->width + kRow[direction];
    const int column = cell % geometry_->width + kColumn[direction];
    const bool on = row >= 0 && row < geometry_->height && column >= 0 && column < geometry_->width;
    return on ? row * geometry_->width + column : -1;
  }
  // The bit of the direction from one cell to another; 0 when they do not touch.
  unsigned direction(int from, int to) const {
    for (int d = 0; d < 6; ++d) {
      if (neighbour(from, d) == to) return 1u << d;
    }
    return 0;
  }
  // Bit d: the neighbour in direction d is the owner's stone or edge.
  std::uint8_t owned_around(int cell, const Set& own) const {
    unsigned mask = 0;
    for (int d = 0; d < 6; ++d) {
      const int row = cell / geometry_->width + kRow[d];
      const int column = cell % geometry_->width + kColumn[d];
      const bool over_row = row < 0 || row >= geometry_->height;
      const bool over_column = column < 0 || column >= geometry_->width;
      const bool owned = over_row || over_column ? over_row != over_column && over_row == (colour_ == kBlack)
                                                 : own.test(row * geometry_->width + column);
      mask |= unsigned(owned) << d;
    }
    return std::uint8_t(mask);
  }
  // An opponent's stone is dead when what is around it and not the owner's is one cell, or two that touch.
  static bool is_dead(unsigned owned) {
    const unsigned rest = ~owned & 63u;
    const unsigned turned = ((rest << 1) | (rest >> 5)) & 63u;
    return std::popcount(rest) <= 1 || (std::popcount(rest) == 2 && (rest & turned));
  }

  const Geometry<Words>* geometry_;
  Colour colour_;
  std::vector<Set> cells_;
  std::vector<std::vector<Set>> pairs_;
};

}  // namespace fingal
