// Games in lockstep: what is said of them is the same on any number of threads, and who is said to win wins.
#include "core/judged_games.hpp"

#include <array>
#include <vector>

#include "check.hpp"
#include "core/random.hpp"

using namespace fingal;

namespace {

struct Flags {
  explicit Flags(std::size_t count) : data(new bool[count]()), span(data.get(), count) {}
  std::unique_ptr<bool[]> data;
  std::span<bool> span;
};

// Plays random games, with the winning move where one is known: all that was said, as numbers.
std::vector<int> play(JudgedGames& games, std::uint64_t seed) {
  const auto cells = std::size_t(games.cells());
  auto random = Random::stream(seed, 0);
  std::vector<int> said;
  std::vector<std::int32_t> going;
  std::vector<int> owner(std::size_t(games.count()), -1);
  for (int i = 0; i < int(games.count()); ++i) going.push_back(i);
  games.reset();
  for (int ply = 0; !going.empty(); ++ply) {
    std::vector<std::int8_t> proof(going.size());
    std::vector<std::int32_t> winning(going.size()), cell(going.size());
    Flags moves(going.size() * cells), over(going.size());
    games.judge(going, proof, winning, moves.span);
    for (std::size_t i = 0; i < going.size(); ++i) {
      said.push_back(proof[i]);
      said.push_back(winning[i]);
      CHECK((proof[i] > 0) == (winning[i] >= 0));
      auto& won = owner[std::size_t(going[i])];
      if (proof[i] != 0) {
        const int winner = proof[i] > 0 ? ply % 2 : 1 - ply % 2;
        CHECK(won < 0 || won == winner);
        won = winner;
      } else {
        CHECK(won < 0);
      }
      std::vector<std::int32_t> worth;
      for (std::size_t c = 0; c < cells; ++c) {
        if (moves.span[i * cells + c]) worth.push_back(std::int32_t(c));
      }
      CHECK(!worth.empty());
      cell[i] = proof[i] > 0 ? winning[i] : worth[std::size_t(random.below(int(worth.size())))];
    }
    games.play(going, cell, over.span);
    std::vector<std::int32_t> left;
    for (std::size_t i = 0; i < going.size(); ++i) {
      if (!over.span[i]) left.push_back(going[i]);
      if (over.span[i]) CHECK(owner[std::size_t(going[i])] == ply % 2);
    }
    going = left;
  }
  return said;
}

void threads_make_no_difference() {
  const auto alone = JudgedGames::make(6, 6, 9, true, 1), shared = JudgedGames::make(6, 6, 9, true, 3);
  const auto first = play(*alone, 1);
  CHECK(play(*shared, 2) != first);
  CHECK(play(*shared, 1) == first);
}

void any_shape() {
  for (const auto& [width, height] : {std::array{1, 1}, {2, 2}, {3, 5}, {9, 8}}) {
    play(*JudgedGames::make(width, height, 2, true, 2), 3);
    play(*JudgedGames::make(width, height, 2, false, 1), 3);
  }
}

void refusals() {
  const auto games = JudgedGames::make(2, 2, 2, true, 1);
  Flags over(2);
  const auto play = [&](std::vector<std::int32_t> numbers, std::vector<std::int32_t> cells) {
    games->play(numbers, cells, over.span);
  };
  CHECK(refuses([&] { play({0, 2}, {0, 0}); }, "game 2 is not one of 2"));
  CHECK(refuses([&] { play({1, 1}, {0, 1}); }, "game 1 is named twice"));
  CHECK(refuses([&] { play({0, 1}, {0, 4}); }, "cell 4 is not an empty cell of game 1"));
  play({0, 1}, {0, 0});
  CHECK(refuses([&] { JudgedGames::make(3, 3, 0, true, 1); }, "0 games"));
  CHECK(refuses([&] { JudgedGames::make(3, 3, 1, true, 0); }, "0 threads"));
}

}  // namespace

int main() {
  threads_make_no_difference();
  any_shape();
  refusals();
  return verdict();
}
