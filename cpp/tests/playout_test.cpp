// Random games and fillings: exact results on small boards, uniformity, and no dependence on threads.
#include "core/playout.hpp"

#include <cmath>
#include <map>

#include "check.hpp"
#include "slow_hex.hpp"

using namespace fingal;

namespace {

// Within five standard deviations of a probability known exactly.
bool close(std::int64_t wins, std::int64_t games, double expected) {
  return std::abs(double(wins) / double(games) - expected) < 5 * std::sqrt(expected * (1 - expected) / double(games));
}

void first_player_wins_two_thirds_on_3x3() {
  constexpr std::int64_t games = 200000;
  for (const auto& tally : {random_games(3, 3, games, 1, 1), random_fills(3, 3, games, 1, 1)}) {
    CHECK(tally.wins[0] + tally.wins[1] == games);
    CHECK(close(tally.wins[kBlack], games, 2.0 / 3));
  }
  CHECK(close(random_games(4, 4, games, 2, 1).wins[kBlack], games, 0.5));
  CHECK(close(random_fills(4, 4, games, 2, 1).wins[kBlack], games, 0.5));
  CHECK(random_games(1, 1, 10, 3, 1).wins[kBlack] == 10);
}

void threads_do_not_change_the_result() {
  for (const int threads : {2, 3}) {
    CHECK(random_games(7, 9, 5000, 5, threads).wins == random_games(7, 9, 5000, 5, 1).wins);
    CHECK(random_fills(7, 9, 5000, 5, threads).wins == random_fills(7, 9, 5000, 5, 1).wins);
  }
  CHECK(random_games(7, 9, 5000, 6, 1).wins != random_games(7, 9, 5000, 5, 1).wins);
}

// Each of the 10 pairs of 5 cells equally often.
void subsets_are_uniform() {
  const auto& g = geometry<1>(3, 3);
  Bits<1> from;
  for (const int cell : {0, 2, 3, 5, 8}) from.set(cell);
  Random random(7);
  std::map<std::uint64_t, int> seen;
  constexpr int draws = 100000;
  for (int i = 0; i < draws; ++i) {
    const auto subset = random_subset(g, from, 2, random);
    CHECK(subset.count() == 2 && !(subset - from).any());
    ++seen[subset.word[0]];
  }
  CHECK(seen.size() == 10);
  for (const auto& [subset, count] : seen) CHECK(close(count, draws, 0.1));
}

void full_boards_have_the_winner_of_the_oracle() {
  Random random(9);
  for (int round = 0; round < 500; ++round) {
    const int width = 1 + random.below(19);
    const int height = 1 + random.below(19);
    SlowHex slow(width, height);
    for (auto& stone : slow.stone) stone = random.below(2);
    const int winner = with_words(width * height, [&]<int Words>() {
      Bits<Words> black;
      for (int cell = 0; cell < width * height; ++cell) {
        if (slow.stone[std::size_t(cell)] == 0) black.set(cell);
      }
      return int(winner_of_full(geometry<Words>(width, height), black));
    });
    CHECK(winner == slow.winner());
    CHECK(slow.wins(0) != slow.wins(1));
  }
}

// Values by filling: exact where the result is certain, in company as alone, the opposite for the mirrored colours.
void positions_are_judged_by_filling() {
  std::vector<std::uint64_t> stones{0b000010010, 0b000010000, 0, 0b000100001, 0b000001000, 0};  // [2, 3, 1], 3x3
  const bool white[3] = {true, false, false};
  std::vector<float> together(3), alone(1);
  fill_values(3, 3, stones, white, 20000, 5, together);
  CHECK(together[0] < -0.4F);                       // Black has b1 and b2, and White is to move
  CHECK(together[1] > 0);                           // Black has the centre and the move
  CHECK(std::abs(together[2] - 1.0F / 3) < 0.03F);  // the empty board: Black wins two of three
  const std::vector<std::uint64_t> second{stones[1], stones[4]};
  fill_values(3, 3, second, {white + 1, 1}, 20000, 5, alone);
  CHECK(alone[0] == together[1]);
  const std::vector<std::uint64_t> won{0b010010010, 0b000001001};  // b1, b2, b3: nothing can change it
  fill_values(3, 3, won, {white, 1}, 10, 5, alone);
  CHECK(alone[0] == -1);
  stones[3] = 2;
  CHECK(refuses([&] { fill_values(3, 3, stones, white, 1, 1, together); }, "position 0"));
  stones[3] = 512;
  CHECK(refuses([&] { fill_values(3, 3, stones, white, 1, 1, together); }, "off the board"));
  CHECK(refuses([&] { fill_values(3, 3, stones, white, 0, 1, together); }, "at least 1"));
}

}  // namespace

int main() {
  positions_are_judged_by_filling();
  first_player_wins_two_thirds_on_3x3();
  threads_do_not_change_the_result();
  subsets_are_uniform();
  full_boards_have_the_winner_of_the_oracle();
  CHECK(refuses([] { random_games(3, 3, 1, 1, 0); }, "threads"));
  CHECK(refuses([] { random_games(3, 20, 1, 1, 1); }, "3x20"));
  return verdict();
}
