// The solver beside a plain search of every line, on one thread and on several that share a table.
#include "core/solver.hpp"

#include <map>

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

}  // namespace

int main() {
  for (const int threads : {1, 3}) {
    it_agrees_with_plain_search(3, 3, 1, threads);
    it_agrees_with_plain_search(4, 4, 6, threads);
    it_agrees_with_plain_search(5, 3, 5, threads);
  }
  threads_find_the_same();
  return verdict();
}
