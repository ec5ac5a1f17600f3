// Patterns, playouts and the search with them. Scores are made up here, so that what they do can be said by hand.
#include <cmath>

#include "check.hpp"
#include "core/solver.hpp"
#include "core/uct_search.hpp"

using namespace fingal;

namespace {

// Nothing is worth more than anything else.
PatternScores even_scores() {
  PatternScores scores;
  scores.pattern.assign(kPatterns, 0);
  scores.reply.assign(std::size_t(kAround * kRingPatterns), 0);
  scores.energy.assign(std::size_t(kEnergyBins * kEnergyBins), 0);
  return scores;
}

// In Black's view: the last move is White's and stands between two black stones, which the cell joins.
bool saves_bridge(int ring, int place) {
  const auto state = [&](int at) { return ring / kPowers[std::size_t(at % kRing)] % 3; };
  return place < kRing && state(place) == 2 && state(place + 1) == 1 && state(place + 5) == 1;
}

PatternScores bridge_scores() {
  auto scores = even_scores();
  for (int place = 0; place < kAround; ++place) {
    for (int ring = 0; ring < kRingPatterns; ++ring) {
      if (saves_bridge(ring, place)) scores.reply[std::size_t(place * kRingPatterns + ring)] = 12;
    }
  }
  return scores;
}

std::shared_ptr<const PatternModel> model_of(const PatternScores& scores) {
  return std::make_shared<const PatternModel>(PatternModel{scores, PlayoutWeights(scores, 1)});
}

void places() {
  for (int place = 0; place < kAround; ++place) {
    const auto& there = kPlaces[std::size_t(place)];
    const auto& back = kPlaces[std::size_t(opposite_place(place))];
    CHECK(there[0] == -back[0] && there[1] == -back[1]);
    const auto& mirrored = kPlaces[std::size_t(kMirrored[std::size_t(place)])];
    CHECK(there[0] == mirrored[1] && there[1] == mirrored[0]);
  }
  // One black stone to the right is, mirrored, a white one below: 1 * 3^0 becomes 2 * 3^1.
  CHECK(mirrored_pattern(1) == 6);
  CHECK(mirrored_pattern(6) == 1);
  // A white stone two below and one to the left (place 7) becomes a black one at (-1, 2), place 11.
  CHECK(mirrored_pattern(2 * 729 * 3) == 729 * 243);
  for (int pattern = 0; pattern < kPatterns; pattern += 97) {
    CHECK(mirrored_pattern(mirrored_pattern(pattern)) == pattern);
  }
}

void patterns_of_a_board() {
  const auto& g = geometry<1>(3, 3);
  const Surroundings<1> around(g);
  PatternBoard<1> board(around);
  // b2 touches no edge; a bridge away are the edges of top and bottom (at (2, -1) and (-2, 1)), of left and right (at
  // (1, -2) and (-1, 2)), and the corners a1 and c3.
  CHECK(board.ring(4) == 0);
  CHECK(board.pattern(4) == 729 * (1 * 3 + 2 * 9 + 1 * 81 + 2 * 243));
  board.place(5, kBlack);  // c2, to the right of b2
  board.place(0, kWhite);  // a1, at (-1, -1): place 9
  CHECK(board.ring(4) == 1);
  CHECK(board.pattern(4) == 1 + 729 * (1 * 3 + 2 * 9 + 2 * 27 + 1 * 81 + 2 * 243));
}

void energies() {
  CHECK(energy_bin(0) == 0);
  CHECK(energy_bin(1) == 11);             // (0 + 10) * 1.2 = 12, cut
  CHECK(energy_bin(std::exp2(-5)) == 6);  // (-5 + 10) * 1.2 = 6
  CHECK(energy_bin(std::exp2(-9.5)) == 0);
}

// Black's bridge from b2 to c3 on 5x5 (over c2 and b3), and White has just played c2.
void bridges_are_saved() {
  Board board(5, 5, false);
  for (const char* move : {"b2", "e5", "c3", "c2"}) board.play(Move(parse_cell(move, 5, 5)));
  const auto saved = pattern_playouts(board, *model_of(bridge_scores()), 1000, 1);
  const auto even = pattern_playouts(board, *model_of(even_scores()), 1000, 1);
  const auto b3 = std::size_t(parse_cell("b3", 5, 5));
  CHECK(saved[b3] > 970);
  CHECK(even[b3] > 400 && even[b3] < 700);
}

// With even scores a playout is a random filling: a known chance, from a position with three cells left.
void playouts_are_fair() {
  Board board(2, 2, false);
  board.play(Move(parse_cell("a1", 2, 2)));
  // White moves first: of a2, b1 and b2 he gets two. He wins with a2 and b2 (row 2), not otherwise: b1 and b2 leave a1
  // joined to a2; a2 and b1 touch, and join left and right. So two in three.
  const auto counts = pattern_playouts(board, *model_of(even_scores()), 30'000, 3);
  CHECK(std::abs(counts.back() - 10'000) < 500);
  for (const char* cell : {"a2", "b1", "b2"}) {
    CHECK(std::abs(counts[std::size_t(parse_cell(cell, 2, 2))] - 10'000) < 500);
  }
}

// The same run twice is the same; and it does not matter in how many parts it is made.
void reproducible() {
  const auto model = model_of(bridge_scores());
  const Board board(6, 5, false);
  const auto once = UctSearch::make(board, model, {}, 7, 1);
  const auto twice = UctSearch::make(board, model, {}, 7, 1);
  once->run(400, 1e6, 1 << 30, 1e6);
  for (int i = 0; i < 8; ++i) CHECK(twice->run(50, 1e6, 1 << 30, 1e6) == 50 || twice->proof() != kUnknown);
  CHECK(once->tree().move == twice->tree().move && once->tree().value_sum == twice->tree().value_sum);
  CHECK(once->tree().rave_sum == twice->tree().rave_sum && once->nodes() == twice->nodes());
}

// What it proves is true, move after move in the same tree, whatever is filled in and pruned on the way.
void proofs_are_true() {
  const auto model = model_of(bridge_scores());
  const auto solver = Solver::make(5, 5, {});
  UctSettings settings;
  settings.knowledge = 5;
  for (int opening = 0; opening < 25; ++opening) {
    Board board(5, 5, false);
    board.play(Move(opening));
    const auto search = UctSearch::make(board, model, settings, std::uint64_t(opening), 1);
    while (board.winner() == kNobody) {
      search->set_position(board);
      search->run(60, 1e6, 1 << 30, 1e6);
      const int winner = solver->run(board, 1 << 30, 1e6);
      if (search->proof() != kUnknown) CHECK((winner == board.turn()) == (search->proof() == kWon));
      auto after = board;
      after.play(search->best_move());
      const int after_winner = after.winner() != kNobody ? after.winner() : solver->run(after, 1 << 30, 1e6);
      if (search->proof() == kWon) CHECK(after_winner == board.turn());
      for (const auto& candidate : search->candidates({})) {
        if (candidate.proof != kWon) continue;
        auto reply = board;
        reply.play(candidate.move);
        CHECK(reply.winner() == board.turn() || solver->run(reply, 1 << 30, 1e6) == board.turn());
      }
      board = after;
    }
  }
}

// Three moves down the middle of 5x5: connections prove the rest at once, if there is time for them.
void what_would_come_too_late_is_not_asked_for() {
  const auto model = model_of(even_scores());
  UctSettings settings;
  settings.knowledge = 5;
  Board board(5, 5, false);
  for (const char* cell : {"c2", "a1", "c4", "e5"}) board.play(Move(parse_cell(cell, 5, 5)));
  for (const bool in_time : {false, true}) {
    const auto search = UctSearch::make(board, model, settings, 1, 1);
    search->run(8, 1e6, 1 << 30, in_time ? 1e6 : 0);
    CHECK((search->proof() == kWon) == in_time);
    CHECK(in_time || search->visits() == 9);
  }
}

// However late it is, a root that nobody has looked at is looked at once.
void a_new_root_gets_a_visit() {
  const auto search = UctSearch::make(Board(5, 5, false), model_of(even_scores()), {}, 1, 2);
  CHECK(search->run(100, 0, 1 << 30, 0) == 1);
  CHECK(search->run(100, 0, 1 << 30, 0) == 0);
}

void threads() {
  const auto model = model_of(bridge_scores());
  UctSettings settings;
  settings.knowledge = 10;
  Board board(7, 7, false);
  const auto search = UctSearch::make(board, model, settings, 1, 4);
  for (int i = 0; i < 3; ++i) {
    const auto games = search->run(500, 1e6, 1 << 30, 1e6);
    CHECK(games == 500 || search->proof() != kUnknown);
    float visits = 0;
    for (const auto v : search->tree().of(search->tree().visits, 0)) visits += v;
    CHECK(visits == search->tree().total_visits[0]);
    for (const auto sum : search->tree().value_sum) CHECK(sum == std::round(sum));  // no visit is left under way
    board.play(search->best_move());
    search->set_position(board);
  }
}

void boards_that_do_not_fit_are_refused() {
  const auto search = UctSearch::make(Board(3, 3, false), model_of(even_scores()), {}, 1, 1);
  search->run(50, 1e9, 1000, 1e9);
  const int visits = search->visits();
  CHECK(refuses([&] { search->set_position(Board(7, 7, false)); }, "a board of 7x7 does not fit"));
  Board won(3, 3, false);
  for (const int move : {0, 1, 3, 4, 6}) won.play(Move(move));
  CHECK(refuses([&] { search->set_position(won); }, "the game is over"));
  CHECK(search->visits() == visits);
}

void refusals() {
  const auto model = model_of(even_scores());
  CHECK(refuses([&] { UctSearch::make(Board(3, 3, false), model, {}, 1, 0); }, "threads must be from 1 to 256, not 0"));
  Board over(1, 1, false);
  over.play(0);
  CHECK(refuses([&] { UctSearch::make(over, model, {}, 1, 1); }, "the game is over"));
  PatternScores few;
  CHECK(refuses([&] { few.check(); }, "pattern has 0 scores instead of 531441"));
}

}  // namespace

int main() {
  places();
  patterns_of_a_board();
  energies();
  bridges_are_saved();
  playouts_are_fair();
  reproducible();
  proofs_are_true();
  what_would_come_too_late_is_not_asked_for();
  a_new_root_gets_a_visit();
  threads();
  boards_that_do_not_fit_are_refused();
  refusals();
  return verdict();
}
