// A search that a person or a player holds: any size, leaves in batches, to be looked at while it runs.
#pragma once

#include "search.hpp"
#include "searched_tree.hpp"

namespace fingal {

class TreeSearch : public SearchedTree {
 public:
  static std::unique_ptr<TreeSearch> make(const Board& board, const SearchSettings& settings, std::uint64_t seed);

  // All functions throw std::invalid_argument, and have then changed nothing, for what is not possible. When memory
  // runs out they throw std::bad_alloc, and the search begins anew.

  // Another position: the tree below it is kept when it follows from the old root by moves, and dropped otherwise.
  virtual void set_position(const Board& board) = 0;
  // Gumbel's schedule needs the number of simulations; a search may go past it.
  virtual void prepare(int simulations, const SearchSettings& settings) = 0;
  // At most `most` positions to judge, written to the arrays, stride `most`: stones [2, most, words]. Fewer when the
  // tree has no more to ask at once, or when `simulations` are done or the root is proven. No net judges a position
  // twice. Batches of several numbers, from 0 to 255, may be under way at once: a number is free again after its update
  // or cancel. The calls themselves must come one at a time.
  virtual int select(int most, int simulations, std::span<std::uint64_t> stones, std::span<bool> white_to_move,
                     std::span<std::int32_t> last, int batch) = 0;
  // The judgements of a batch: logits [k, cells], those of empty cells finite, and value [k], each from -1 to 1.
  virtual void update(std::span<const float> logits, std::span<const float> value, int batch) = 0;
  // Forgets the positions that select() handed out in a batch.
  virtual void cancel(int batch) = 0;
  virtual void cancel_all() = 0;

  virtual int words() const = 0;
  virtual int cells() const = 0;
  virtual int simulations() const = 0;                     // since the root was set or prepared
  virtual std::vector<float> improved_policy() const = 0;  // [cells]
  // Simulations with the same judgement everywhere: what the tree itself costs. No batch may be under way.
  virtual void run_constant(int simulations) = 0;
};

}  // namespace fingal
