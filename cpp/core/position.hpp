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
  const Set& stones(Colour colour) const { return sides_[colour].stones; }
  Set empty() const { return geometry_->all - (stones(kBlack) | stones(kWhite)); }
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
    const auto& here = geometry_->cell[std::size_t(cell)];
    auto& side = sides_[colour];
    hash_ ^= here.key[colour];
    side.stones.set(cell);
    // No stone is joined to both edges before the win: a stone that touches both wins, and a stone that touches one
    // joins it, once in a game, and takes its loose group along.
    const unsigned edges = here.touches[colour] | unsigned(here.neighbours.intersects(side.joined[0])) |
                           (unsigned(here.neighbours.intersects(side.joined[1])) << 1);
    if (edges == 0) return;
    if (edges == 3) {
      winner_ = std::int8_t(colour);
      return;
    }
    // Stone by stone: the groups that join are small, and for them this beats flooding the whole board.
    auto& joined = side.joined[edges >> 1];
    joined.set(cell);
    auto loose = side.stones - joined;
    for (auto todo = here.neighbours & loose; todo.any(); todo &= loose) {
      const int next = todo.lowest();
      joined.set(next);
      loose.reset(next);
      todo |= geometry_->cell[std::size_t(next)].neighbours;
    }
  }

  // The empty cells on which a stone of `colour` would win at once.
  Set winning_cells(Colour colour) const {
    const auto& side = sides_[colour];
    const auto& edge = geometry_->edge[colour];
    return empty() & (geometry_->dilate(side.joined[0]) | edge[0]) & (geometry_->dilate(side.joined[1]) | edge[1]);
  }

  // White takes over Black's first stone: the stone is mirrored in the long diagonal and becomes White's.
  // Not checked: that the board is square and holds one stone, a black one, with White to move.
  void swap_pieces() {
    const int cell = stones(kBlack).lowest();
    const int side = geometry_->width;
    *this = Position(*geometry_);
    place(cell % side * side + cell / side, kWhite);
    turn_ = kBlack;
  }

  void set_turn(Colour colour) { turn_ = colour; }

  friend bool operator==(const Position& a, const Position& b) {
    return a.geometry_ == b.geometry_ && a.stones(kBlack) == b.stones(kBlack) && a.stones(kWhite) == b.stones(kWhite) &&
           a.turn_ == b.turn_;
  }

 private:
  const Geometry<Words>* geometry_;
  struct Side {
    Set stones;
    std::array<Set, 2> joined;  // the stones joined to the colour's first and second edge
  };

  std::array<Side, 2> sides_{};
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
