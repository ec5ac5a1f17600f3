// Thousands of games that play themselves, each with its own tree, on threads with no locks between games:
// select() -> positions, a net judges them, update(). Every game always has one position to judge.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "busy.hpp"
#include "search.hpp"

namespace fingal {

struct SelfplaySettings {
  SearchSettings search;
  int full_simulations = 32;  // for moves that become policy targets
  int cheap_simulations = 8;  // for the others
  int cheap_considered = 4;
  float cheap_noise = 0;          // Gumbel noise in those: 0 plays to win, 1 explores as the full searches do
  float full_share = 0.5F;        // the share of moves searched fully
  bool cheap_positions = true;    // become samples too, with no policy
  bool proven_positions = false;  // become samples too: the moves that are proven to win, and the proven result
  float resign_below = -0.95F;    // a side resigns when its value stays below this ...
  int resign_moves = 3;           // ... for so many of its moves in a row
  float play_on_share = 0.1F;     // games in which nobody resigns, to measure how often that would have been wrong
};

// Finished games' positions, in the order they were played. [s] is their number.
struct Samples {
  std::int64_t count = 0;
  std::vector<std::uint64_t> black, white;              // [s, words]
  std::vector<std::uint64_t> final_black, final_white;  // [s, words]: the last position; empty when resigned
  std::vector<std::uint8_t> white_to_move;              // [s]
  std::vector<std::int32_t> last, reply;                // [s]: the moves before and after, -1 for none
  std::vector<float> policy;                            // [s, cells]: the target; all zero where there is none
  std::vector<float> value;         // [s]: the game's result, or what is proven, side to move's view
  std::vector<float> search_value;  // [s]: what the search thought, side to move's view
  std::vector<float> stakes;        // [s]: how much the choice of the move matters; 0 where there is no target
  std::vector<std::int64_t> game;   // [s]: the id of the game
};

struct FinishedGame {
  std::int64_t id;
  int opening;  // how many of the moves were set, not chosen
  Colour winner;
  bool resigned;
  std::vector<Move> moves;
};

struct ResignCount {
  std::int64_t would_resign = 0;  // sides that met the condition in games played on
  std::int64_t wrong = 0;         // those that won in the end
};

class SelfplayPool {
 public:
  static std::unique_ptr<SelfplayPool> make(int width, int height, std::int64_t count, const SelfplaySettings& settings,
                                            std::uint64_t seed, int threads);
  virtual ~SelfplayPool() = default;

  const BusyFlag busy{"this pool of games"};

  int width() const { return width_; }
  int height() const { return height_; }
  int cells() const { return width_ * height_; }
  int words() const { return words_for(cells()); }
  std::int64_t count() const { return count_; }

  // New games start from one of these lines, drawn uniformly. Every line must be legal and leave the game open.
  virtual void set_openings(const std::vector<std::vector<Move>>& lines) = 0;
  // One position a game: stones [2, n, words], white_to_move [n], last [n].
  virtual void select(std::span<std::uint64_t> stones, std::span<bool> white_to_move, std::span<std::int32_t> last) = 0;
  // Their judgements: logits [n, cells], value [n] for the side to move. Only after select().
  virtual void update(std::span<const float> logits, std::span<const float> value) = 0;
  // What has finished since the last call.
  virtual Samples drain(std::vector<FinishedGame>& games) = 0;
  virtual ResignCount resignations() const = 0;
  // Everything but the trees, which are dropped: a pool that goes on and one that is restored play the same games.
  virtual std::string save() = 0;
  virtual void restore(std::string_view state) = 0;

 protected:
  SelfplayPool(int width, int height, std::int64_t count) : width_(width), height_(height), count_(count) {}

 private:
  int width_;
  int height_;
  std::int64_t count_;
};

}  // namespace fingal
