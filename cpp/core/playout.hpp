// Random games and random fillings.
#pragma once

#include <span>

#include "position.hpp"

namespace fingal {

struct Tally {
  std::array<std::int64_t, 2> wins{};
  std::int64_t plies = 0;
};

// Plays uniformly random moves to the connecting one. Returns the number of moves.
template <int Words>
int play_randomly(Position<Words>& position, Random& random) {
  std::array<std::int16_t, 64 * Words> cells;
  int left = 0;
  position.empty().for_each([&](int cell) { cells[std::size_t(left++)] = std::int16_t(cell); });
  int plies = 0;
  for (; !position.over(); ++plies) {
    auto& pick = cells[std::size_t(random.below(left))];
    position.play(pick);
    pick = cells[std::size_t(--left)];
  }
  return plies;
}

// A uniformly random subset of `from` with exactly `size` cells.
template <int Words>
Bits<Words> random_subset(const Geometry<Words>& g, const Bits<Words>& from, int size, Random& random) {
  // Every cell by a coin, then single random cells in or out until the count is right. Given its
  // count, each set is equally likely at every step, because the cell moved is drawn uniformly.
  Bits<Words> chosen;
  for (auto& word : chosen.word) word = random();
  chosen &= from;
  for (int excess = chosen.count() - size; excess != 0;) {
    const auto& pool = excess > 0 ? chosen : from - chosen;
    int cell;
    do {
      cell = random.below(g.cells);
    } while (!pool.test(cell));
    if (excess > 0) {
      chosen.reset(cell);
      --excess;
    } else {
      chosen.set(cell);
      ++excess;
    }
  }
  return chosen;
}

// The winner after both sides fill the empty cells at random, the side to move first.
template <int Words>
Colour fill_randomly(const Position<Words>& position, Random& random) {
  if (position.over()) return Colour(position.winner());
  const auto& g = position.geometry();
  const auto empty = position.empty();
  const int movers = (empty.count() + 1) / 2;
  const auto chosen = random_subset(g, empty, movers, random);
  const auto black = position.turn() == kBlack ? chosen : empty - chosen;
  return winner_of_full(g, position.stones(kBlack) | black);
}

// Positions judged by `fills` random fillings each: in [-1, 1], the side to move's view, [b]. stones [2, b, words],
// white_to_move [b]. A position's value depends on the position and the seed alone, not on its company.
void fill_values(int width, int height, std::span<const std::uint64_t> stones, std::span<const bool> white_to_move,
                 int fills, std::uint64_t seed, std::span<float> values);

// `count` games from the empty board, spread over threads; the result depends on the seed alone.
Tally random_games(int width, int height, std::int64_t count, std::uint64_t seed, int threads);

// The same for random fillings; plies are the cells filled.
Tally random_fills(int width, int height, std::int64_t count, std::uint64_t seed, int threads);

}  // namespace fingal
