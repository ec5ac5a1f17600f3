// Which patterns stand where on a board.
#pragma once

#include <algorithm>
#include <bit>

#include "geometry.hpp"
#include "inferior_patterns.hpp"

namespace fingal {

// The placements whose region is empty, by which of a centre and its six neighbours are taken (as bits of the ball).
class PlacementIndex {
 public:
  PlacementIndex() {
    for (std::uint32_t inner = 0; inner < 128; ++inner) {
      for (const auto& placement : placements()) {
        if (!(placement.region & taken(inner))) by_inner_[inner].push_back(&placement);
        fewest_ = std::min(fewest_, placement.fewest);
      }
    }
  }

  // With fewer stones in the ball nothing is proved.
  int fewest() const { return fewest_; }

  const std::vector<const Placement*>& at(std::uint32_t taken) const {
    return by_inner_[(taken >> 4 & 3) | (taken >> 8 & 7) << 2 | (taken >> 13 & 3) << 5];
  }

 private:
  static std::uint32_t taken(std::uint32_t inner) {
    return (inner & 3) << 4 | (inner >> 2 & 7) << 8 | (inner >> 5) << 13;
  }

  std::array<std::vector<const Placement*>, 128> by_inner_;
  int fewest_ = kBall;
};

inline const PlacementIndex& placement_index() {
  static const PlacementIndex index;
  return index;
}

// Stones row by row with two more cells on every side, where the edges stand as stones of their owner.
template <int Words>
class Rows {
 public:
  Rows(const Geometry<Words>& g, const Bits<Words>& black, const Bits<Words>& white) : width_(g.width) {
    const std::uint32_t row = (1u << g.width) - 1;
    const std::uint32_t sides = 3u | 3u << (g.width + 2);
    for (int r = 0; r < g.height + 4; ++r) {
      const bool inside = r >= 2 && r < g.height + 2;
      rows_[0][std::size_t(r)] = inside ? (extract(black, (r - 2) * g.width) & row) << 2 : row << 2 | sides;
      rows_[1][std::size_t(r)] = inside ? (extract(white, (r - 2) * g.width) & row) << 2 | sides : 0;
    }
  }

  // The colour's stones in the ball around a cell.
  std::uint32_t ball(Colour colour, int row, int column) const {
    const auto* at = &rows_[colour][std::size_t(row)];
    return (at[0] >> (column + 2) & 7) | (at[1] >> (column + 1) & 15) << 3 | (at[2] >> column & 31) << 7 |
           (at[3] >> column & 15) << 12 | (at[4] >> column & 7) << 16;
  }

  void set(Colour colour, int cell) { rows_[colour][std::size_t(cell / width_ + 2)] |= 4u << cell % width_; }

 private:
  static std::uint32_t extract(const Bits<Words>& bits, int from) {
    const auto i = std::size_t(from) >> 6;
    const int shift = from & 63;
    auto word = bits.word[i] >> shift;
    if (shift && i + 1 < Words) word |= bits.word[i + 1] << (64 - shift);
    return std::uint32_t(word);
  }

  int width_;
  std::array<std::array<std::uint32_t, kMaxSide + 4>, 2> rows_;
};

// A pattern that has something to say: a placement around a centre, and the number of the verdict.
struct Hit {
  const Placement* placement;
  std::int16_t centre;
  std::uint8_t number;

  const Verdict& verdict() const { return placement->verdicts[number]; }
};

// The patterns of a position, in the mover's view.
template <int Words>
class Matches {
 public:
  using Set = Bits<Words>;

  Matches(const Geometry<Words>& g, const Set& black, const Set& white, Colour mover)
      : g_(g), mover_(mover), rows_(g, black, white) {}

  void put(int cell, Colour colour) { rows_.set(colour, cell); }

  // Looks at all patterns around a centre. If one fills something in, `fill` is that, in Black's view, and the answer
  // is true; otherwise what they say of moves is kept, in place of what was said before.
  bool look_around(int centre, Hit& fill) {
    const int row = centre / g_.width, column = centre % g_.width;
    const auto own = rows_.ball(mover_, row, column), opponent = rows_.ball(other(mover_), row, column);
    auto& said = said_[std::size_t(centre)];
    auto& count = count_[std::size_t(centre)];
    count = 0;
    if (std::popcount(own | opponent) < index_.fewest()) return false;
    for (const auto* placement : index_.at(own | opponent)) {
      const auto number = placement->look_up(own, opponent);
      if (number == 0) continue;
      const Hit hit{placement, std::int16_t(centre), number};
      if (hit.verdict().fills()) {
        // In Black's view always: of two ways to fill in, the choice does not depend on who is to move.
        fill = {placement, hit.centre, mover_ == kBlack ? number : placement->look_up(opponent, own)};
        return true;
      }
      said[count++] = hit;
    }
    return false;
  }

  // Calls visit(hit, x) for every cell of a region of which a pattern says something of a kind: the x-th. The kind is
  // &Verdict::dominated, &Verdict::killed or &Verdict::reversed.
  template <class F>
  void for_each_said(std::uint8_t Verdict::* kind, F&& visit) const {
    g_.all.for_each([&](int centre) {
      for (std::size_t i = 0; i < count_[std::size_t(centre)]; ++i) {
        const auto& hit = said_[std::size_t(centre)][i];
        for (unsigned cells = hit.verdict().*kind; cells; cells &= cells - 1) visit(hit, std::countr_zero(cells));
      }
    });
  }

  // The i-th cell of a region, and all of them.
  int cell(const Hit& hit, int i) const {
    const auto& step = kBallSteps[hit.placement->cells[std::size_t(i)]];
    return hit.centre + step.down * g_.width + step.right;
  }
  Set region(const Hit& hit) const {
    Set set;
    for (int i = 0; i < hit.placement->size; ++i) set.set(cell(hit, i));
    return set;
  }

 private:
  const Geometry<Words>& g_;
  const PlacementIndex& index_ = placement_index();
  const Colour mover_;
  Rows<Words> rows_;
  // By centre: the patterns that say something of moves, as far as counted.
  std::array<std::array<Hit, kMaxPlacements>, std::size_t(64 * Words)> said_;
  std::array<std::uint8_t, std::size_t(64 * Words)> count_;
};

}  // namespace fingal
