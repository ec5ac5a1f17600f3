// How far apart a colour's edges are, counted in cells that the colour has yet to take.
#pragma once

#include <span>
#include <vector>

#include "geometry.hpp"

namespace fingal {

constexpr int kFar = -1;  // cannot be reached

// How often a cell must have been reached before it counts as reached.
enum class Metric {
  kShortestPath = 1,  // once: the opponent passes
  // Twice: the opponent may take the better of two ways. A cell that touches the edge is at distance 1, any other at
  // one more than the second nearest of its neighbours (van Rijswijck, "Computer Hex: are bees better than
  // fruitflies?", 2000). A colour's stones are passed through: all empty cells around a group are neighbours of each
  // other.
  kTwoDistance = 2,
};

struct Distance {
  // Of the whole way from edge to edge through each cell; kFar on stones and where there is no way. By shortest path,
  // the cells on the way. By two-distance, the sum of the cell's distances from both edges.
  std::vector<int> through;
  // The least of them: 0 when the colour has joined its edges, kFar when it cannot.
  int least;
  // How many cells have it.
  int count;
};

// Not checked: that the stones lie on the board and not on each other.
template <int Words>
Distance distance(const Geometry<Words>& g, Metric metric, Colour colour, const Bits<Words>& own,
                  const Bits<Words>& opponent) {
  using Set = Bits<Words>;
  const auto empty = g.all - own - opponent;
  // The empty cells next to each cell, and those next to each edge, through the colour's own stones.
  std::vector<Set> around(std::size_t(g.cells));
  std::array<Set, 2> beside = {g.edge[colour][0] & empty, g.edge[colour][1] & empty};
  bool is_joined = false;
  empty.for_each([&](int cell) { around[std::size_t(cell)] = g.cell[std::size_t(cell)].neighbours & empty; });
  for (auto rest = own; rest.any();) {
    auto group = Set::of(rest.lowest());
    for (Set next; (next = g.dilate(group) & own) != group;) group = next;
    rest = rest - group;
    const auto liberties = g.dilate(group) & empty;
    liberties.for_each([&](int cell) { around[std::size_t(cell)] |= liberties - Set::of(cell); });
    for (std::size_t side = 0; side < 2; ++side) {
      if (group.intersects(g.edge[colour][side])) beside[side] |= liberties;
    }
    is_joined = is_joined || (group.intersects(g.edge[colour][0]) && group.intersects(g.edge[colour][1]));
  }

  std::array<std::vector<int>, 2> from_edge;
  for (std::size_t side = 0; side < 2; ++side) {
    from_edge[side].assign(std::size_t(g.cells), kFar);
    auto done = beside[side];
    Set once;
    auto front = done;
    for (int steps = 1; front.any(); ++steps) {
      Set next;
      front.for_each([&](int cell) {
        from_edge[side][std::size_t(cell)] = steps;
        const auto met = around[std::size_t(cell)] - done;
        next |= metric == Metric::kShortestPath ? met : met & once;
        once |= met;
      });
      done |= next;
      front = next;
    }
  }

  Distance result{std::vector<int>(std::size_t(g.cells), kFar), is_joined ? 0 : kFar, 0};
  empty.for_each([&](int cell) {
    const int first = from_edge[0][std::size_t(cell)], second = from_edge[1][std::size_t(cell)];
    if (first == kFar || second == kFar) return;
    // On a path the cell itself is counted from both ends.
    const int whole = first + second - (metric == Metric::kShortestPath);
    result.through[std::size_t(cell)] = whole;
    if (is_joined) return;
    if (result.least == kFar || whole < result.least) {
      result.least = whole;
      result.count = 0;
    }
    result.count += whole == result.least;
  });
  return result;
}

// Of both colours, of positions with stones [2, b, words]: ways [2, b, cells], the least [2, b] and how many cells have
// it [2, b]. Throws std::invalid_argument when stones lie on each other or off the board.
void measure_distances(int width, int height, Metric metric, std::span<const std::uint64_t> stones,
                       std::span<int> through, std::span<int> least, std::span<int> count);

}  // namespace fingal
