// The board that people and protocols hold: any size, every move checked, moves can be taken back.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "cell.hpp"

namespace fingal {

enum class Symmetry {
  kRotation,  // by 180 degrees: keeps colours and sides
  kMirror,    // transpose in the long diagonal, with the colours exchanged
};

class Board {
 public:
  Board(int width, int height, bool swap);
  Board(const Board& other);
  Board(Board&&) = default;
  Board& operator=(const Board& other) { return *this = Board(other); }
  Board& operator=(Board&&) = default;

  int width() const { return width_; }
  int height() const { return height_; }
  int cells() const { return width_ * height_; }
  bool swap() const { return swap_; }
  Colour turn() const;
  int winner() const;
  std::uint64_t hash() const;
  bool can_swap() const;
  int colour_at(int cell) const;  // kNobody, kBlack or kWhite
  std::vector<int> empty_cells() const;
  const std::vector<Move>& moves() const { return moves_; }

  // Checked: throws std::invalid_argument and changes nothing when the move is illegal.
  void play(Move move);
  // Throws std::out_of_range when there is no move to take back.
  Move undo();
  // Set-up: puts or (kNobody) removes a stone. The result is a new start: there is nothing to take back.
  void set_stone(int cell, int colour);
  // Whoever was to move, `colour` is now.
  void set_turn(Colour colour);
  // Who made each of moves().
  std::vector<Colour> movers() const;
  // The set-up stones that moves() were played from.
  std::vector<int> start(Colour colour) const;

  // A shortest chain of the winner's stones from side to side, in order; empty when nobody has won.
  std::vector<int> winning_chain() const;
  Board transformed(Symmetry symmetry) const;
  // Stones as words, cell i in bit i % 64 of word i / 64.
  std::vector<std::uint64_t> packed(Colour colour) const;
  // How many of `count` random fillings Black wins.
  std::int64_t fill_randomly(std::int64_t count, std::uint64_t seed) const;

  friend bool operator==(const Board& a, const Board& b);

 private:
  template <int Words>
  using History = std::vector<Position<Words>>;  // the start, then one position a move

  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit([&](const auto& history) -> decltype(auto) { return f(history.back()); }, history_);
  }
  void check_cell(int cell) const;

  int width_;
  int height_;
  bool swap_;
  std::variant<History<1>, History<2>, History<3>, History<4>, History<5>, History<6>> history_;
  std::vector<Move> moves_;
};

// The position on a board, for code that works on one size.
template <int Words>
Position<Words> position_of(const Board& board) {
  Position<Words> position(geometry<Words>(board.width(), board.height()));
  for (int cell = 0; cell < board.cells(); ++cell) {
    const int colour = board.colour_at(cell);
    if (colour != kNobody) position.place(cell, Colour(colour));
  }
  position.set_turn(board.turn());
  return position;
}

}  // namespace fingal
