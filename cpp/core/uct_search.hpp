// A search with playouts that a person or a player holds: any size, limits, threads.
#pragma once

#include "searched_tree.hpp"
#include "uct.hpp"

namespace fingal {

class UctSearch : public SearchedTree {
 public:
  // Throws std::invalid_argument when the game is over or the number of threads is not from 1 to 256.
  static std::unique_ptr<UctSearch> make(const Board& board, std::shared_ptr<const PatternModel> model,
                                         const UctSettings& settings, std::uint64_t seed, int threads);

  // All functions throw std::invalid_argument, and have then changed nothing, for what is not possible. When memory
  // runs out they throw std::bad_alloc, and the search begins anew.

  // Another position: the tree below it is kept when it follows from the old root by moves, and dropped otherwise.
  virtual void set_position(const Board& board) = 0;
  // Simulates until so many games were played, so many seconds have passed, the tree has so many nodes, the result is
  // proven, or all visits wait for a net. Returns the number of games. `left`: the seconds until all must be over that
  // this is a part of; a question about connections may take half of them.
  virtual std::int64_t run(std::int64_t simulations, double seconds, std::int64_t nodes, double left) = 0;
  // The positions that visits wait for a net's priors of, k of them, as packed positions: stones [2, k, words],
  // white_to_move [k] (0 or 1), last [k] (-1 for none).
  struct Waiting {
    std::vector<std::uint64_t> stones;
    std::vector<std::uint8_t> white_to_move;
    std::vector<std::int32_t> last;
  };
  virtual Waiting waiting() const = 0;
  // What a net says of them, logits [k, cells]: the visits go on in the next run. Throws std::invalid_argument when
  // there are not so many, or those of empty cells are not finite.
  virtual void answer(std::span<const float> logits) = 0;
  // Takes back the visits that wait or were answered.
  virtual void cancel() = 0;
  // Somebody else has proven the root: won (1) by `winning`, an empty cell or -1 where it is not known, or lost (-1).
  virtual void prove(int proof, int winning) = 0;
};

// `count` playouts from a board on which the game is not over: how often each cell is Black's in the end, [cells], and
// then how often Black wins.
std::vector<std::int32_t> pattern_playouts(const Board& board, const PatternModel& model, int count,
                                           std::uint64_t seed);

}  // namespace fingal
