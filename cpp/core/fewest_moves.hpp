// How soon a won game can be brought to its end, and how long a lost one can be drawn out: exactly, as far as a small
// search sees.
#pragma once

#include <vector>

#include "board.hpp"

namespace fingal {

struct Ending {
  int moves = 0;            // of the winner, the last one included; 0: more than the search has seen
  std::vector<Move> first;  // the moves that bring it about: one for the winner; none where nothing was found
};

// For a side to move that wins: the least number of its moves in which it can join its edges whatever the other does,
// and the first of them.
Ending fewest_moves(const Board& board, std::int64_t nodes);

// For a side to move that loses: the moves after which the other needs the most moves; all that are left when `nodes`
// positions have been looked at.
Ending longest_defence(const Board& board, std::int64_t nodes);

}  // namespace fingal
