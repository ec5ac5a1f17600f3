// What happens when memory runs out at any moment: an exception, and an object that works on.
#include <atomic>
#include <cstdlib>
#include <limits>
#include <new>

#include "check.hpp"
#include "core/selfplay.hpp"
#include "core/solver.hpp"
#include "core/tree_search.hpp"
#include "core/uct_search.hpp"

namespace {

constexpr long kNever = std::numeric_limits<long>::max();
std::atomic<long> left = kNever;  // allocations until one fails, and all that follow

}  // namespace

// Not inlined, or the compiler takes the pairs apart and warns of a free() for what new has allocated.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (left.load() != kNever && left.fetch_sub(1) <= 0) throw std::bad_alloc();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
// What sorts have room in; they do without it where there is none.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return left.load() == kNever ? std::malloc(size == 0 ? 1 : size) : nullptr;
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

using namespace fingal;

namespace {

// Does something again and again with memory for ever more allocations, until it is enough; how often it was not.
template <class F>
int fails(F&& act) {
  int failed = 0;
  for (long allocations = 0;; allocations += 1 + allocations / 16) {
    bool done = true;
    left = allocations;
    try {
      act();
    } catch (const std::bad_alloc&) {
      done = false;
    }
    left = kNever;
    if (done) return failed;
    ++failed;
  }
}

SearchSettings with_connections(int visits) {
  SearchSettings settings;
  settings.connections = visits;
  return settings;
}

void a_tree_search_begins_anew() {
  const Board board(5, 5, false);
  const auto search = TreeSearch::make(board, with_connections(5), 1);
  const int failed = fails([&] {
    search->prepare(0, with_connections(5));
    search->run_constant(200);
  });
  CHECK(failed > 5);
  const auto other = TreeSearch::make(board, with_connections(5), 1);
  for (const auto* one : {search.get(), other.get()}) CHECK(one->proof() == kUnknown || one->best_move() >= 0);
  auto next = board;
  next.play(0);
  fails([&] { search->set_position(next); });
  search->prepare(0, with_connections(0));
  search->run_constant(100);
  CHECK(search->simulations() == 100 || search->proof() != kUnknown);
  for (const auto& candidate : search->candidates({})) CHECK(next.colour_at(candidate.move) == kNobody);
}

PatternModel even_model() {
  PatternScores scores;
  scores.pattern.assign(kPatterns, 0);
  scores.reply.assign(std::size_t(kAround * kRingPatterns), 0);
  scores.energy.assign(std::size_t(kEnergyBins * kEnergyBins), 0);
  return {scores, PlayoutWeights(scores, 1)};
}

void a_search_with_playouts_begins_anew(int threads) {
  const auto model = std::make_shared<const PatternModel>(even_model());
  const Board board(5, 5, false);
  UctSettings settings;
  settings.knowledge = 5;
  const auto search = UctSearch::make(board, model, settings, 1, threads);
  CHECK(fails([&] { search->run(200, 1e9, 1 << 20, 1e9); }) > 5);
  auto next = board;
  next.play(0);
  fails([&] { search->set_position(next); });
  fails([&] { search->run(200, 1e9, 1 << 20, 1e9); });
  CHECK(search->visits() > 0 || search->proof() != kUnknown);
  for (const auto& candidate : search->candidates({})) CHECK(next.colour_at(candidate.move) == kNobody);
}

void a_solver_proves_the_same(int threads) {
  SolverSettings settings;
  settings.threads = threads;
  settings.memory_mb = 4;
  const auto solver = Solver::make(5, 5, settings);
  Board board(5, 5, false);
  board.play(0);  // a1 loses
  int winner = kNobody;
  CHECK(fails([&] { winner = solver->run(board, 1 << 30, 1e9); }) > 5);
  CHECK(winner == kWhite);
}

void a_pool_of_games_plays_on(int threads) {
  SelfplaySettings settings;
  settings.full_simulations = settings.cheap_simulations = 4;
  settings.resign_below = -2;
  const auto pool = SelfplayPool::make(3, 3, 3, settings, 1, threads);
  std::vector<std::uint64_t> stones(6);
  std::array<bool, 3> white{};
  std::array<std::int32_t, 3> last{};
  const std::vector<float> logits(27), values(3);
  const auto step = [&] {
    pool->select(stones, white, last);
    pool->update(logits, values);
  };
  int failed = 0;
  for (int i = 0; i < 20; ++i) failed += fails(step);
  CHECK(failed > 5);
  for (int i = 0; i < 100; ++i) step();
  std::vector<FinishedGame> finished;
  const auto samples = pool->drain(finished);
  CHECK(samples.count > 0);
  for (const auto& game : finished) {
    Board board(3, 3, false);
    for (const auto move : game.moves) board.play(move);
    CHECK(board.winner() == game.winner);
  }
}

}  // namespace

int main() {
  a_tree_search_begins_anew();
  for (const int threads : {1, 3}) {
    a_search_with_playouts_begins_anew(threads);
    a_solver_proves_the_same(threads);
    a_pool_of_games_plays_on(threads);
  }
  return verdict();
}
