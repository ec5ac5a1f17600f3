// A solver that people hold: any size, a table that lasts from position to position, limits, threads.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "board.hpp"
#include "busy.hpp"
#include "dfpn.hpp"

namespace fingal {

// What a solver knows of a position, in the view of its side to move.
struct Finding {
  bool known = false;     // whether it was looked at and is still remembered
  int winner = kNobody;   // kBlack or kWhite when solved
  std::uint32_t phi = 1;  // see Bounds
  std::uint32_t delta = 1;
  int best = -1;               // the winner's move, if he has one to make and it is known
  std::uint32_t work = 0;      // positions looked at below
  std::vector<int> proof;      // when solved: the winner wins even when all other empty cells are the loser's
  std::vector<int> moves;      // when not: those left to try, the most hopeful first
  std::vector<int> filled[2];  // cells that may be given to Black and to White without changing the winner
};

class Solver {
 public:
  static std::unique_ptr<Solver> make(int width, int height, const SolverSettings& settings);
  virtual ~Solver() = default;

  // run, set_policy, save and load come one at a time; all other functions may be called beside them.
  const BusyFlag busy{"this solver", ", or call stop()"};

  // Searches on from what is known until the position is solved, or `nodes` more positions were looked at, or
  // `seconds` have passed, or stop(). Returns the winner or kNobody. `stops`: what stops() returned when the caller
  // decided to run, so that a stop() between then and now ends the run at once; without it, only one that comes later
  // counts. Throws std::invalid_argument when the board has another size, and what a policy throws. What it found
  // until then is remembered.
  virtual int run(const Board& board, std::int64_t nodes, double seconds, std::optional<std::int64_t> stops = {}) = 0;
  // Ends the run() under way soon, from any thread.
  virtual void stop() = 0;
  // How often stop() has been called.
  virtual std::int64_t stops() const = 0;
  // Orders moves by a policy, which several threads may ask at once; by electric currents when it is empty.
  virtual void set_policy(const MovePolicy& policy) = 0;
  virtual Finding look_up(const Board& board) const = 0;

  virtual std::int64_t nodes() const = 0;  // looked at since the solver was made
  virtual std::size_t table_used() const = 0;
  virtual std::size_t table_capacity() const = 0;
  virtual std::size_t table_bytes() const = 0;
  // Throw std::runtime_error with one sentence when the file cannot be written or read.
  virtual void save(const std::string& path) const = 0;
  virtual void load(const std::string& path) = 0;
};

}  // namespace fingal
