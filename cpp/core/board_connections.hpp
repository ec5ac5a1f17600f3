// One colour's connections on a board of any size, for people and protocols: what comes in is checked.
#pragma once

#include <memory>
#include <variant>

#include "board.hpp"
#include "busy.hpp"
#include "connections.hpp"

namespace fingal {

class BoardConnections {
 public:
  // `filled`: empty cells that count as stones of Black and of White. Throws std::invalid_argument for cells that are
  // not empty, and for limits that are too small or too large.
  BoardConnections(const Board& board, Colour colour, const ConnectionLimits& limits,
                   const std::array<std::vector<int>, 2>& filled);

  const BusyFlag busy{"this search for connections"};

  int words() const;
  Colour colour() const { return colour_; }
  // From scratch again, on a board of the same size; throws and changes nothing otherwise.
  void build(const Board& board, const std::array<std::vector<int>, 2>& filled);
  // A cell for itself or its group, or an edge; throws std::invalid_argument for other numbers and for the opponent's.
  int end_of(int end) const;
  bool won() const;
  // Adds stones to those of the board; throws and changes nothing when a cell is not empty.
  void add(const std::vector<int>& own, const std::vector<int>& opponent);
  // Throws std::out_of_range when there is nothing to take back.
  void undo();

  // The carriers between two ends, as lists of cells.
  std::vector<std::vector<int>> between(int a, int b, bool semi) const;
  // How one of them was found; empty when that is not recorded, or when it is none of them.
  struct Step {
    ConnectionRule rule;
    int a;
    int b;
    std::vector<int> carrier;
    int middle;
    std::vector<std::uint32_t> parents;
    std::vector<std::pair<int, std::vector<int>>> captured;
  };
  std::vector<Step> derivation(int a, int b, const std::vector<int>& carrier) const;
  // The cells of the smallest winning carrier; throws std::invalid_argument before won().
  std::vector<int> smallest_win() const;
  // The cells in which the opponent has to play at once: all empty ones when nothing forces it.
  std::vector<int> must_play() const;

  struct Listing {
    std::vector<std::int16_t> ends;       // [count, 2]
    std::vector<std::uint64_t> carriers;  // [count, words]
  };
  Listing all(bool semi) const;

  // Whether a claimed connection holds, by plain search of its carrier alone.
  bool holds(int a, int b, const std::vector<int>& carrier, bool owner_first) const;

 private:
  template <int Words>
  using One = std::unique_ptr<Connections<Words>>;

  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit([&](const auto& one) -> decltype(auto) { return f(*one); }, connections_);
  }

  int width_;
  int height_;
  Colour colour_;
  int added_ = 0;
  std::variant<One<1>, One<2>, One<3>, One<4>, One<5>, One<6>> connections_;
};

}  // namespace fingal
