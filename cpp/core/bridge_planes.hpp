// The twelve planes of a position that paper 002's net sees: stones, side to move, and what bridges are made of.
#pragma once

#include <algorithm>
#include <span>

#include "position.hpp"
#include "spread.hpp"

namespace fingal {

// The board stands in a ring of stones one cell wide: the rows above and below it are Black's, corners included, the
// columns beside it White's. Stones of the ring take part in bridges. For each colour, a bridge is two of its stones
// with two common neighbours, its carriers.
//
//   0, 1   Black's and White's stones, the ring's included
//   2      the empty cells of the board
//   3      1 everywhere when White is to move
//   4, 5   Black's and White's ends of bridges whose carriers hold no stone of the other colour
//   6      for the side to move: the empty carrier of a bridge whose other carrier is the opponent's last move
//   7      for the side to move: empty cells between two of its stones in a straight line
//   8      for the side to move: empty cells that make a bridge, whose carriers are empty, with one of its stones
//   9      for the opponent: the empty carrier of a bridge whose other carrier holds a stone of the side to move
//   10     as 8 for the opponent
//   11     as 7 for the opponent
constexpr int kBridgePlanes = 12;

// How many words a board of so many words needs with its ring: static_asserts below say that it is enough.
constexpr int framed_words(int words) { return words == 4 ? 6 : words + 1; }

// What never changes in the planes of one size. Frame cells are numbered row by row, ring included.
template <int Words>
class BridgeFrame {
 public:
  static constexpr int kWords = framed_words(Words);
  using Set = Bits<kWords>;

  explicit BridgeFrame(const Geometry<Words>& g) : board_width_(g.width), rows_(g.height + 2), columns_(g.width + 2) {
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        const int at = row * columns_ + column;
        all_.set(at);
        const bool beyond_row = row == 0 || row == rows_ - 1, beyond_column = column == 0 || column == columns_ - 1;
        if (beyond_row) {
          ring_[kBlack].set(at);
        } else if (beyond_column) {
          ring_[kWhite].set(at);
        } else {
          board_.set(at);
        }
        for (int right = -2; right <= 2; ++right) {
          if (column + right >= 0 && column + right < columns_) stays_[std::size_t(right + 2)].set(at);
        }
      }
    }
  }

  int cells() const { return rows_ * columns_; }

  // Writes the planes, [kBridgePlanes, height + 2, width + 2], of a position whose last move was on `last` (or -1).
  template <class Byte>
  void write(const Position<Words>& position, int last, Byte* out) const {
    const auto mover = position.turn();
    const std::array<Set, 2> placed{framed(position.stones(kBlack)), framed(position.stones(kWhite))};
    const std::array<Set, 2> stones{placed[0] | ring_[0], placed[1] | ring_[1]};
    const auto empty = board_ - (placed[0] | placed[1]);
    Set taken;  // what the opponent has just taken
    if (last >= 0 && position.stones(other(mover)).test(last)) taken.set(framed_cell(last));
    const auto own = patterns(stones[mover], stones[other(mover)], empty, taken);
    const auto theirs = patterns(stones[other(mover)], stones[mover], empty, placed[mover]);
    const auto& black = mover == kBlack ? own : theirs;
    const auto& white = mover == kBlack ? theirs : own;
    const std::array<Set, kBridgePlanes> planes{
        stones[kBlack], stones[kWhite], empty,        mover == kWhite ? all_ : Set{},
        black.ends,     white.ends,     own.saves,    own.joins,
        own.forms,      theirs.saves,   theirs.forms, theirs.joins};
    for (std::size_t i = 0; i < planes.size(); ++i) spread(planes[i], cells(), out + i * std::size_t(cells()));
  }

 private:
  struct Step {
    int down, right;
    constexpr Step operator-() const { return {-down, -right}; }
  };
  struct Bridge {
    Step end, carrier[2];  // from the stone above to the other and to the carriers
  };
  static constexpr std::array<Bridge, 3> kBridges{
      {{{1, 1}, {{1, 0}, {0, 1}}}, {{2, -1}, {{1, 0}, {1, -1}}}, {{1, -2}, {{0, -1}, {1, -1}}}}};
  static constexpr std::array<Step, 3> kLines{{{0, 1}, {1, 0}, {1, -1}}};

  // What one colour's bridges come to.
  struct Patterns {
    Set ends, saves, joins, forms;
  };

  int framed_cell(int cell) const { return (cell / board_width_ + 1) * columns_ + cell % board_width_ + 1; }

  // A set of the board's cells among those of the frame, row by row.
  Set framed(const Bits<Words>& set) const {
    const auto row_of_ones = (std::uint64_t{1} << board_width_) - 1;
    Set result;
    for (int row = 0; row < rows_ - 2; ++row) {
      const int from = row * board_width_, to = (row + 1) * columns_ + 1;
      auto bits = set.word[std::size_t(from) / 64] >> (from & 63);
      if ((from & 63) > 64 - board_width_) bits |= set.word[std::size_t(from) / 64 + 1] << (64 - (from & 63));
      bits &= row_of_ones;
      result.word[std::size_t(to) / 64] |= bits << (to & 63);
      if ((to & 63) > 64 - board_width_) result.word[std::size_t(to) / 64 + 1] |= bits >> (64 - (to & 63));
    }
    return result;
  }

  // The cells a step away from those of a set.
  Set moved(const Set& set, Step by) const {
    const int places = by.down * columns_ + by.right;
    const auto stay = set & stays_[std::size_t(by.right + 2)];
    return places > 0 ? stay.up(places) & all_ : stay.down(-places);
  }
  // The cells from which a step leads into a set.
  Set seeing(const Set& set, Step by) const { return moved(set, -by); }

  Patterns patterns(const Set& stones, const Set& others, const Set& empty, const Set& taken) const {
    Patterns found;
    for (const auto& [end, carrier] : kBridges) {
      const auto pairs = stones & seeing(stones, end);
      const std::array<Set, 2> open{seeing(empty, carrier[0]), seeing(empty, carrier[1])};
      const auto held = pairs - (seeing(others, carrier[0]) | seeing(others, carrier[1]));
      found.ends |= held | moved(held, end);
      const auto free = open[0] & open[1];
      found.forms |= (empty & free & seeing(stones, end)) | moved(stones & free & seeing(empty, end), end);
      for (std::size_t i = 0; i < 2; ++i) {
        found.saves |= moved(pairs & open[i] & seeing(taken, carrier[1 - i]), carrier[i]);
      }
    }
    for (const auto line : kLines) found.joins |= empty & seeing(stones, line) & seeing(stones, -line);
    return found;
  }

  int board_width_, rows_, columns_;
  Set all_, board_;
  std::array<Set, 2> ring_;   // by colour
  std::array<Set, 5> stays_;  // [right + 2]: the cells from which so many columns to the right is still in the frame
};

// No board of W words has a frame of more than framed_words(W).
constexpr bool frames_fit() {
  for (int width = 1; width <= kMaxSide; ++width) {
    for (int height = 1; height <= kMaxSide; ++height) {
      if (words_for((width + 2) * (height + 2)) > framed_words(words_for(width * height))) return false;
    }
  }
  return true;
}
static_assert(frames_fit());

// The planes [b, kBridgePlanes, height + 2, width + 2] of positions with stones [2, b, words], white_to_move [b] and
// last [b] (the last move's cell, -1 for none). Throws std::invalid_argument, before anything is written, when stones
// lie on each other or off the board, or a last move does.
void bridge_planes(int width, int height, std::span<const std::uint64_t> stones, std::span<const bool> white_to_move,
                   std::span<const std::int32_t> last, std::span<std::uint8_t> planes);

}  // namespace fingal
