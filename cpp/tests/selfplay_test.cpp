// Games that play themselves, judged by a function of the position: what they leave is legal, right and repeatable.
#include "core/selfplay.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "check.hpp"
#include "core/board.hpp"

using namespace fingal;

namespace {

struct Played {
  std::vector<FinishedGame> games;
  Samples samples;
};

bool operator==(const Played& a, const Played& b) {
  if (a.games.size() != b.games.size()) return false;
  for (std::size_t i = 0; i < a.games.size(); ++i) {
    const auto& x = a.games[i];
    const auto& y = b.games[i];
    if (x.id != y.id || x.opening != y.opening || x.winner != y.winner || x.resigned != y.resigned ||
        x.moves != y.moves)
      return false;
  }
  return a.samples.black == b.samples.black && a.samples.policy == b.samples.policy &&
         a.samples.value == b.samples.value && a.samples.search_value == b.samples.search_value &&
         a.samples.stakes == b.samples.stakes && a.samples.game == b.samples.game;
}

SelfplaySettings quick() {
  SelfplaySettings settings;
  settings.search.gumbel = true;
  settings.full_simulations = 12;
  settings.cheap_simulations = 4;
  settings.resign_below = -0.3F;
  settings.resign_moves = 2;
  settings.play_on_share = 0.4F;
  return settings;
}

// Select, judge and update, again and again, and what has finished then.
Played play(SelfplayPool& pool, int rounds) {
  const auto count = std::size_t(pool.count());
  const auto words = std::size_t(pool.words());
  const auto cells = std::size_t(pool.cells());
  std::vector<std::uint64_t> stones(2 * count * words);
  std::unique_ptr<bool[]> white(new bool[count]());
  std::vector<std::int32_t> last(count);
  std::vector<float> logits(count * cells), value(count);
  for (int round = 0; round < rounds; ++round) {
    pool.select(stones, {white.get(), count}, last);
    for (std::size_t i = 0; i < count; ++i) {
      std::uint64_t seed = white[i];
      for (std::size_t k = 0; k < 2 * words; ++k) seed = Random(seed ^ stones[(k % 2 * count + i) * words + k / 2])();
      Random random(seed);
      for (std::size_t c = 0; c < cells; ++c) logits[i * cells + c] = float(random.below(1000)) / 300;
      value[i] = float(random.below(1000)) / 500 - 1;
    }
    pool.update(logits, value);
  }
  Played played;
  played.samples = pool.drain(played.games);
  return played;
}

void samples_are_what_was_played(int width, int height) {
  const auto pool = SelfplayPool::make(width, height, 16, quick(), 3, 1);
  const auto [games, samples] = play(*pool, 600);
  const auto cells = std::size_t(width * height);
  const auto words = std::size_t(pool->words());
  CHECK(games.size() > 16 && samples.count > 50);
  std::map<std::int64_t, const FinishedGame*> by_id;
  for (const auto& game : games) {
    CHECK(by_id.emplace(game.id, &game).second);  // ids are unique
    Board board(width, height, false);
    for (const auto move : game.moves) board.play(move);  // throws when one is illegal
    CHECK(game.resigned ? board.winner() == kNobody && game.winner == other(board.turn())
                        : board.winner() == int(game.winner));
  }
  std::int64_t full = 0;
  for (std::size_t s = 0; s < std::size_t(samples.count); ++s) {
    CHECK(by_id.contains(samples.game[s]));
    const auto& game = *by_id[samples.game[s]];
    std::size_t ply = 0;
    for (const auto* side : {&samples.black, &samples.white}) {
      for (std::size_t w = 0; w < words; ++w) ply += std::size_t(std::popcount((*side)[s * words + w]));
    }
    Board board(width, height, false);
    for (std::size_t i = 0; i < ply; ++i) board.play(game.moves[i]);
    for (std::size_t w = 0; w < words; ++w) {
      CHECK(board.packed(kBlack)[w] == samples.black[s * words + w]);
      CHECK(board.packed(kWhite)[w] == samples.white[s * words + w]);
    }
    const auto mover = board.turn();
    CHECK(samples.white_to_move[s] == (mover == kWhite));
    CHECK(samples.last[s] == (ply > 0 ? game.moves[ply - 1] : -1));
    CHECK(samples.reply[s] == (ply + 1 < game.moves.size() ? game.moves[ply + 1] : -1));
    CHECK(samples.value[s] == (game.winner == mover ? 1.0F : -1.0F));
    CHECK(samples.search_value[s] > -1 && samples.search_value[s] < 1);
    float sum = 0;
    for (std::size_t c = 0; c < cells; ++c) {
      const float p = samples.policy[s * cells + c];
      CHECK(p >= 0 && (p == 0 || board.colour_at(int(c)) == kNobody));
      sum += p;
    }
    CHECK(sum == 0 || std::abs(sum - 1) < 1e-5F);
    full += sum > 0;
    CHECK(samples.stakes[s] >= 0 && samples.stakes[s] <= 2 && (sum > 0 || samples.stakes[s] == 0));
    if (game.resigned) continue;
    for (const auto move : game.moves) {
      const auto bit = std::uint64_t{1} << (move & 63);
      const auto at = s * words + std::size_t(move >> 6);
      CHECK(((samples.final_black[at] | samples.final_white[at]) & bit) != 0);
    }
  }
  CHECK(full > samples.count / 4 && full < samples.count * 3 / 4);  // half of the moves are searched fully
}

// With best play, found with no tree and no net.
bool mover_wins(Board& board) {
  for (const int cell : board.empty_cells()) {
    board.play(Move(cell));
    const bool wins = board.winner() != kNobody || !mover_wins(board);
    board.undo();
    if (wins) return true;
  }
  return false;
}

void proven_positions_have_their_true_result_and_moves_that_win() {
  auto settings = quick();
  settings.full_simulations = 60;
  settings.cheap_simulations = 1;
  settings.resign_below = -2;
  settings.cheap_positions = false;
  settings.proven_positions = true;
  const auto pool = SelfplayPool::make(4, 4, 16, settings, 3, 1);
  const auto [games, samples] = play(*pool, 1200);
  std::map<std::int64_t, const FinishedGame*> by_id;
  for (const auto& game : games) by_id.emplace(game.id, &game);
  int won = 0, lost = 0, searched = 0, upset = 0;
  struct {
    float stakes = 0;
    int count = 0;
    float mean() const { return stakes / float(count); }
  } few, many;  // moves that win
  for (std::size_t s = 0; s < std::size_t(samples.count); ++s) {
    Board board(4, 4, false);
    const auto& game = *by_id[samples.game[s]];
    const auto ply = std::popcount(samples.black[s]) + std::popcount(samples.white[s]);
    for (int i = 0; i < ply; ++i) board.play(game.moves[std::size_t(i)]);
    const std::span policy(samples.policy.data() + 16 * s, 16);
    const bool target = std::any_of(policy.begin(), policy.end(), [](float p) { return p > 0; });
    const bool proven = std::abs(samples.search_value[s]) == 1;
    if (!proven) {
      CHECK(target);  // cheap searches leave nothing
      ++searched;
      continue;
    }
    const bool wins = mover_wins(board);
    CHECK(samples.search_value[s] == (wins ? 1 : -1) && samples.value[s] == samples.search_value[s]);
    CHECK(target == wins);
    if (wins && ply >= 6) {  // with fewer stones there are too many ways to play on
      const auto free = board.empty_cells();
      const auto winning = std::count_if(free.begin(), free.end(), [&](int cell) {
        board.play(Move(cell));
        const bool wins_there = board.winner() != kNobody || !mover_wins(board);
        board.undo();
        return wins_there;
      });
      auto& kind = 3 * std::size_t(winning) < free.size() ? few : many;
      kind.stakes += samples.stakes[s];
      ++kind.count;
    }
    ++(wins ? won : lost);
    upset += wins != (game.winner == board.turn());
    for (int cell = 0; wins && cell < 16; ++cell) {
      if (policy[std::size_t(cell)] < 1e-6F) continue;
      board.play(Move(cell));
      CHECK(board.winner() != kNobody || !mover_wins(board));
      board.undo();
    }
  }
  CHECK(won > 50 && lost > 50 && searched > 50);
  CHECK(few.count > 10 && many.count > 10 && few.mean() > many.mean());
  CHECK(upset > 0);  // who searches little loses won games, and what is proven stands
}

void threads_change_nothing() {
  const auto one = SelfplayPool::make(5, 5, 10, quick(), 5, 1);
  const auto three = SelfplayPool::make(5, 5, 10, quick(), 5, 3);
  const auto other_seed = SelfplayPool::make(5, 5, 10, quick(), 6, 1);
  const auto played = play(*one, 400);
  CHECK(played == play(*three, 400));
  CHECK(!(played == play(*other_seed, 400)));
}

void a_restored_pool_plays_on_identically() {
  const auto first = SelfplayPool::make(6, 5, 9, quick(), 7, 1);
  play(*first, 250);
  const auto state = first->save();
  const auto second = SelfplayPool::make(6, 5, 9, quick(), 99, 2);
  play(*second, 30);
  second->restore(state);
  CHECK(play(*first, 400) == play(*second, 400));
  CHECK(first->resignations().would_resign == second->resignations().would_resign);
  CHECK(first->save() == second->save());
  // What was not drained is in the saved state as well.
  const auto third = SelfplayPool::make(6, 5, 9, quick(), 7, 1);
  const auto fourth = SelfplayPool::make(6, 5, 9, quick(), 8, 1);
  fourth->restore(third->save());
  CHECK(play(*third, 300) == play(*fourth, 300));
  for (const auto& broken : {state.substr(0, state.size() - 1), state + "x", std::string("x")}) {
    CHECK(refuses([&] { second->restore(broken); }, ""));
  }
  const auto smaller = SelfplayPool::make(5, 5, 9, quick(), 7, 1);
  CHECK(refuses([&] { smaller->restore(state); }, "6x5"));
}

void resignations_are_counted() {
  auto settings = quick();
  settings.play_on_share = 1;
  const auto on = SelfplayPool::make(5, 5, 16, settings, 9, 1);
  for (const auto& game : play(*on, 600).games) CHECK(!game.resigned);
  const auto counted = on->resignations();
  CHECK(counted.would_resign > 10);
  CHECK(counted.wrong > 0 && counted.wrong < counted.would_resign);  // a judge that knows nothing is often wrong
  settings.play_on_share = 0;
  const auto off = SelfplayPool::make(5, 5, 16, settings, 9, 1);
  std::size_t resigned = 0;
  for (const auto& game : play(*off, 600).games) resigned += game.resigned;
  CHECK(resigned > 5 && off->resignations().would_resign == 0);
  settings.resign_below = -2;
  const auto never = SelfplayPool::make(5, 5, 16, settings, 9, 1);
  for (const auto& game : play(*never, 600).games) CHECK(!game.resigned);
}

void openings_are_played() {
  const auto pool = SelfplayPool::make(5, 5, 8, quick(), 11, 1);
  const std::vector<std::vector<Move>> lines{{12}, {0, 24, 6}};
  pool->set_openings(lines);
  std::set<std::vector<Move>> seen;
  for (const auto& game : play(*pool, 800).games) {
    if (game.id < pool->count()) continue;  // these had begun before
    const std::vector<Move> start(game.moves.begin(), game.moves.begin() + game.opening);
    CHECK(start == lines[0] || start == lines[1]);
    seen.insert(start);
  }
  CHECK(seen.size() == 2);
  CHECK(refuses([&] { pool->set_openings({}); }, "no openings"));
  CHECK(refuses([&] { pool->set_openings({{3, 3}}); }, "illegal move 3"));
  CHECK(refuses([&] { pool->set_openings({{25}}); }, "illegal move 25"));
  CHECK(refuses([&] { pool->set_openings({{2, 0, 7, 5, 12, 10, 17}}); }, "decided"));
  CHECK(refuses([] { SelfplayPool::make(5, 5, 0, {}, 1, 1); }, "at least 1"));
  CHECK(refuses([] { SelfplayPool::make(5, 5, 1, {}, 1, 0); }, "at least 1"));
  CHECK(refuses([] { SelfplayPool::make(20, 5, 1, {}, 1, 1); }, "20x5"));
}

}  // namespace

int main() {
  samples_are_what_was_played(5, 5);
  samples_are_what_was_played(4, 6);
  samples_are_what_was_played(9, 8);
  proven_positions_have_their_true_result_and_moves_that_win();
  threads_change_nothing();
  a_restored_pool_plays_on_identically();
  resignations_are_counted();
  openings_are_played();
  return verdict();
}
