// A position: stones, side to move, winner. Trivially copyable, so that to keep a copy is to be able to undo.
#pragma once

#include "geometry.hpp"

namespace fingal {

using Move = std::int16_t;  // a cell, or:
constexpr Move kSwap = -1;  // swap-pieces

template <int Words>
class Position {
 public:
  using Set = Bits<Words>;

  explicit Position(const Geometry<Words>& g) : geometry_(&g) {}

  const Geometry<Words>& geometry() const { return *geometry_; }
  const Set& stones(Colour colour) const { return stones_[colour]; }
  Set empty() const { return geometry_->all - (stones_[kBlack] | stones_[kWhite]); }
  Colour turn() const { return turn_; }
  // kNobody, kBlack or kWhite.
  int winner() const { return winner_; }
  bool over() const { return winner_ != kNobody; }
  std::uint64_t hash() const { return turn_ == kWhite ? hash_ ^ geometry_->white_to_move : hash_; }

  // Puts a stone of the side to move on `cell` and passes the turn.
  // Not checked: that the cell is on the board and empty, and that the game is not over.
  void play(int cell) {
    place(cell, turn_);
    turn_ = other(turn_);
  }

  // Puts a stone of `colour` on `cell`, whoever is to move. Not checked: as for play.
  void place(int cell, Colour colour) {
    const auto at = std::size_t(cell);
    hash_ ^= geometry_->key[colour][at];
    auto& own = stones_[colour];
    own.set(cell);
    // joined_[colour][side] holds the stones joined to that edge, and no stone is in both before the win: a stone
    // that touches both wins, a stone that touches one joins it once in a game and takes its loose group along.
    const auto& near = geometry_->neighbours[at];
    const unsigned touch = geometry_->touches[colour][at];
    const unsigned sides =
        touch | unsigned(near.intersects(joined_[colour][0])) | (unsigned(near.intersects(joined_[colour][1])) << 1);
    if (sides == 0) return;
    if (sides == 3) {
      winner_ = std::int8_t(colour);
      return;
    }
    auto& joined = joined_[colour][sides >> 1];
    joined.set(cell);
    // Stone by stone: the groups that join are small, and for them this beats flooding the whole board.
    auto loose = own - joined;
    for (auto todo = near & loose; todo.any(); todo &= loose) {
      const int next = todo.lowest();
      joined.set(next);
      loose.reset(next);
      todo |= geometry_->neighbours[std::size_t(next)];
    }
  }

  // White takes over Black's first stone: the stone is mirrored in the long diagonal and becomes White's.
  // Not checked: that the board is square and holds one stone, a black one, with White to move.
  void swap_pieces() {
    const int cell = stones_[kBlack].lowest();
    const int side = geometry_->width;
    *this = Position(*geometry_);
    place(cell % side * side + cell / side, kWhite);
    turn_ = kBlack;
  }

  void set_turn(Colour colour) { turn_ = colour; }

  friend bool operator==(const Position& a, const Position& b) {
    return a.geometry_ == b.geometry_ && a.stones_ == b.stones_ && a.turn_ == b.turn_;
  }

 private:
  const Geometry<Words>* geometry_;
  std::array<Set, 2> stones_{};
  std::array<std::array<Set, 2>, 2> joined_{};
  std::uint64_t hash_ = 0;
  Colour turn_ = kBlack;
  std::int8_t winner_ = kNobody;
};

// The colour that joins its sides on a board with no empty cell.
template <int Words>
Colour winner_of_full(const Geometry<Words>& g, const Bits<Words>& black) {
  const auto top = g.edge[kBlack][0] & black;
  const auto& bottom = g.edge[kBlack][1];
  auto reached = top;
  for (;;) {
    if (reached.intersects(bottom)) return kBlack;
    const auto grown = g.dilate(reached) & black;
    if (grown == reached) return kWhite;
    reached = grown;
  }
}

}  // namespace fingal
