// Many games of one size, stepped together on threads.
#pragma once

#include <memory>
#include <span>

#include "busy.hpp"
#include "cell.hpp"

namespace fingal {

// Actions are cells, and `cells` for swap-pieces. Arrays are row-major; [n] is the number of games.
class Batch {
 public:
  static std::unique_ptr<Batch> make(int width, int height, std::int64_t count, bool swap, int threads);
  virtual ~Batch() = default;

  const BusyFlag busy{"this batch of games"};

  int width() const { return width_; }
  int height() const { return height_; }
  int cells() const { return width_ * height_; }
  int words() const { return words_for(cells()); }
  int actions() const { return cells() + 1; }
  std::int64_t count() const { return count_; }

  virtual void reset() = 0;

  // Plays actions[i] in game i: reward[i] is 1 when it wins, for the side that played it, otherwise 0, and over[i]
  // says whether the game ended; an ended game starts again. Throws std::invalid_argument, before anything is
  // played, when an action is illegal.
  virtual void step(std::span<const std::int32_t> action, std::span<float> reward, std::span<bool> over) = 0;

  // plane [n, height, width, 4]: the side to move's stones, the other side's, whether White is to move, whether
  // swapping is possible. legal [n, actions].
  virtual void observe(std::span<bool> plane, std::span<bool> legal) = 0;

  // A uniformly random legal action for every game (swap-pieces counts as one).
  virtual void random_actions(std::uint64_t seed, std::span<std::int32_t> action) = 0;

  // stones [2, n, words]: Black's, then White's; white_to_move [n]; last [n]: the last action, -1 for none.
  virtual void pack(std::span<std::uint64_t> stones, std::span<bool> white_to_move,
                    std::span<std::int32_t> last) const = 0;
  // Sets every game from packed positions; throws std::invalid_argument, before anything is changed, when stones
  // overlap, lie off the board or already join two sides. No swap follows a loaded position.
  virtual void unpack(std::span<const std::uint64_t> stones, std::span<const bool> white_to_move) = 0;

 protected:
  Batch(int width, int height, std::int64_t count) : width_(width), height_(height), count_(count) {}

 private:
  int width_;
  int height_;
  std::int64_t count_;
};

}  // namespace fingal
