// Virtual connections as wires of the circuit.
#pragma once

#include "connections.hpp"
#include "resistance.hpp"

namespace fingal {

// A node of the circuit as wires see it: an empty cell, a group of stones or an edge.
template <int Words>
struct WirePart {
  int end;             // a cell or an edge, as in Wire
  bool stone;          // a group of stones or an edge
  Bits<Words> around;  // the cells that touch it
};

// By end of the connections, the parts of the circuit that it is made of: one, but for groups that hold cells which are
// filled in. `stones` are those that lie on the board; on other cells of the colour the circuit has its resistance.
template <int Words>
std::vector<std::vector<WirePart<Words>>> wire_parts(const Geometry<Words>& g, const Connections<Words>& connections,
                                                     const Bits<Words>& stones) {
  const auto& edge = g.edge[connections.colour()];
  const auto cells = std::size_t(g.cells);
  std::vector<std::vector<WirePart<Words>>> parts(cells + 2);
  for (std::size_t side = 0; side < 2; ++side) parts[cells + side].push_back({int(cells + side), true, edge[side]});
  auto left = stones;
  (g.all - connections.opponent()).for_each([&](int cell) {
    auto& mine = parts[std::size_t(connections.end_of(cell))];
    if (!stones.test(cell)) {
      mine.push_back({cell, false, g.cell[std::size_t(cell)].neighbours});
    } else if (left.test(cell)) {
      auto group = Bits<Words>::of(cell);
      for (auto next = group; next.any(); group |= next) next = (g.dilate(group) & stones) - group;
      left = left - group;
      bool joined = false;
      for (std::size_t side = 0; side < 2; ++side) {
        if (!group.intersects(edge[side])) continue;
        parts[cells + side][0].around |= g.dilate(group);
        joined = true;
      }
      if (!joined) mine.push_back({cell, true, g.dilate(group)});
    }
  });
  return parts;
}

// Adds a wire between two parts of each pair of ends with a full connection, and of one end, unless they are
// neighbours, which the board joins already, or both stones: the cells between them carry that current. It conducts
// like neighbours do, divided by one more than the number of cells that every connection of the pair needs.
template <int Words>
void add_wires(const Geometry<Words>& g, const Connections<Words>& connections, const Bits<Words>& stones,
               std::vector<Wire>& wires) {
  const auto parts = wire_parts(g, connections, stones);
  const auto add = [&](const WirePart<Words>& a, const WirePart<Words>& b, int needed) {
    if (a.stone && b.stone) return;
    if (a.stone ? a.around.test(b.end) : b.around.test(a.end)) return;
    wires.push_back({a.end, b.end, (a.stone || b.stone ? 2.0 : 1.0) / (1 + needed)});
  };
  for (std::size_t a = 0; a < parts.size(); ++a) {
    for (std::size_t i = 0; i < parts[a].size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) add(parts[a][j], parts[a][i], 0);
    }
    if (parts[a].empty()) continue;
    for (auto b = a + 1; b < parts.size(); ++b) {
      if (parts[b].empty()) continue;
      const auto carriers = connections.full(int(a), int(b));
      if (carriers.empty()) continue;
      auto needed = carriers[0];
      for (const auto& carrier : carriers) needed &= carrier;
      for (const auto& one : parts[a]) {
        for (const auto& two : parts[b]) add(one, two, needed.count());
      }
    }
  }
}

}  // namespace fingal
