// What a person can read from any search's tree.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "board.hpp"
#include "busy.hpp"
#include "tree.hpp"

namespace fingal {

// One move at a node of the tree. The value is for the side that makes it.
struct Candidate {
  Move move;
  int visits;
  float value;
  float prior;
  Proof proof;
};

class SearchedTree {
 public:
  virtual ~SearchedTree() = default;

  const BusyFlag busy{"this search"};

  virtual const Tree& tree() const = 0;
  virtual Move best_move() const = 0;

  bool expanded() const { return tree().edge_count[0] > 0; }
  int visits() const { return expanded() ? 1 + int(tree().total_visits[0]) : 0; }  // of the root, those kept included
  int nodes() const { return tree().nodes(); }
  float value() const { return tree().value(0); }  // for the side to move at the root
  Proof proof() const { return tree().proof[0]; }
  // The moves after a line of moves from the root, the best first; none where the tree does not reach.
  std::vector<Candidate> candidates(std::span<const Move> line) const;
  // The moves that are expected after a line of moves from the root.
  std::vector<Move> principal_variation(std::span<const Move> line) const;

 private:
  std::int32_t node_after(std::span<const Move> line) const;
};

// The moves that lead from one board to another, when it follows from it; otherwise nothing.
std::optional<std::vector<Move>> moves_between(const Board& before, const Board& after);

// Throws std::invalid_argument unless a search for boards of this size can begin at the board.
void check_searchable(const Board& board, int width, int height);

// The last move's cell, or -1 where there is none.
Move last_of(const Board& board);

}  // namespace fingal
