// The solver beside a plain search of every line, on one thread and on several that share a table.
#include "core/solver.hpp"

#include <atomic>
#include <limits>
#include <map>
#include <thread>

#include "check.hpp"
#include "core/random.hpp"
#include "slow_hex.hpp"

using namespace fingal;

namespace {

// Whether the side to move wins, by trying everything.
bool wins(SlowHex& hex, int turn, std::map<std::vector<int>, bool>& known) {
  if (const auto found = known.find(hex.stone); found != known.end()) return found->second;
  bool result = false;
  for (auto& stone : hex.stone) {
    if (stone != -1 || result) continue;
    stone = turn;
    result = hex.wins(turn) || !wins(hex, 1 - turn, known);
    stone = -1;
  }
  return known[hex.stone] = result;
}

void it_agrees_with_plain_search(int width, int height, int stones, int threads) {
  Random random{std::uint64_t(threads)};
  SolverSettings settings;
  settings.threads = threads;
  settings.memory_mb = 16;
  const auto solver = Solver::make(width, height, settings);
  for (int game = 0; game < 20; ++game) {
    Board board(width, height, false);
    SlowHex hex(width, height);
    for (int i = 0; i < stones; ++i) {
      const auto empty = board.empty_cells();
      const auto cell = empty[std::size_t(random.below(int(empty.size())))];
      hex.stone[std::size_t(cell)] = int(board.turn());
      board.play(Move(cell));
      if (board.winner() != kNobody) break;
    }
    if (board.winner() != kNobody) continue;
    std::map<std::vector<int>, bool> known;
    const int turn = int(board.turn());
    const int expected = wins(hex, turn, known) ? turn : 1 - turn;
    CHECK(solver->run(board, 1 << 30, 1e9) == expected);
    CHECK(solver->look_up(board).winner == expected);
  }
}

// A search long enough for four threads to meet: on 7x7, a1 loses.
void threads_find_the_same() {
  SolverSettings settings;
  settings.threads = 4;
  settings.memory_mb = 16;
  const auto solver = Solver::make(7, 7, settings);
  Board board(7, 7, false);
  board.play(0);
  CHECK(solver->run(board, 1 << 30, 1e9) == kWhite);
}

// What a policy throws ends the run and comes out of it, whatever the threads, and the solver proves on without it.
void a_policy_may_throw(int threads) {
  SolverSettings settings;
  settings.threads = threads;
  settings.memory_mb = 16;
  const auto solver = Solver::make(6, 6, settings);
  const Board board(6, 6, false);
  struct Failed {};
  solver->set_policy(
      [](const std::array<std::vector<std::uint64_t>, 2>&, int) -> std::vector<float> { throw Failed(); });
  bool failed = false;
  try {
    solver->run(board, 1 << 30, 1e9);
  } catch (const Failed&) {
    failed = true;
  }
  CHECK(failed);
  for (const float score : {0.0F, std::numeric_limits<float>::quiet_NaN()}) {
    const std::size_t count = score == 0 ? 35 : 36;
    solver->set_policy(
        [=](const std::array<std::vector<std::uint64_t>, 2>&, int) { return std::vector(count, score); });
    CHECK(refuses([&] { solver->run(board, 1 << 30, 1e9); }, "the policy returned"));
  }
  solver->set_policy({});
  CHECK(solver->run(board, 1 << 30, 1e9) == kBlack);
}

// Questions may be asked while threads search, and a stop that comes before the run is not lost.
void questions_and_stops_beside_a_run() {
  SolverSettings settings;
  settings.threads = 2;
  settings.memory_mb = 16;
  const auto solver = Solver::make(7, 7, settings);
  Board board(7, 7, false);
  board.play(0);
  const auto stops = solver->stops();
  std::atomic<bool> ended = false;
  std::thread asking([&] {
    while (!ended) {
      const auto finding = solver->look_up(board);
      CHECK(!finding.known || finding.phi + finding.delta > 0);
      CHECK(solver->nodes() >= 0 && solver->table_used() <= solver->table_capacity());
    }
  });
  CHECK(solver->run(board, 1 << 30, 1e9, stops) == kWhite);
  ended = true;
  asking.join();
  const auto other = Solver::make(7, 7, settings);
  other->stop();
  CHECK(other->run(board, 1 << 30, 1e9, stops) == kNobody);
  CHECK(other->nodes() == 0);
  CHECK(other->run(board, 1 << 30, 1e9) == kWhite);
}

}  // namespace

int main() {
  for (const int threads : {1, 3}) {
    it_agrees_with_plain_search(3, 3, 1, threads);
    it_agrees_with_plain_search(4, 4, 6, threads);
    it_agrees_with_plain_search(5, 3, 5, threads);
  }
  threads_find_the_same();
  for (const int threads : {1, 3}) a_policy_may_throw(threads);
  questions_and_stops_beside_a_run();
  return verdict();
}
