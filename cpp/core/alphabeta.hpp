// Alpha-beta over resistance, in the manner of the engine Wolve: few moves, judged well.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "board.hpp"

namespace fingal {

struct AlphaBetaSettings {
  int depth = 1;            // moves ahead
  int width = 15;           // how many moves are tried at each position, those with the most energy
  bool connections = true;  // whether virtual connections prove, prune and conduct
};

struct AlphaBetaResult {
  double value = 0;       // in [-1, 1], the view of the side to move
  int proof = 0;          // 1: proven to win, -1: proven to lose, 0: not proven
  std::vector<int> line;  // the moves expected, the best one first
  std::int64_t nodes = 0;
};

// Ends a search soon, from any thread.
struct StopFlag {
  std::atomic<bool> is_set{false};
};

// Throws std::invalid_argument when the game is over or the settings are not possible. A search that the flag ends
// gives the best of the moves whose search was whole, or else the next one in order.
AlphaBetaResult search_alphabeta(const Board& board, const AlphaBetaSettings& settings, const StopFlag& stop = {});

}  // namespace fingal
