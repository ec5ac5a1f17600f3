// Virtual connections as wires of the circuit.
#pragma once

#include "connections.hpp"
#include "resistance.hpp"

namespace fingal {

// Adds a wire for each pair of ends with a full connection, unless they are neighbours, which the board joins already,
// or both groups of stones: the cells between them carry that current. It conducts like neighbours do, divided by one
// more than the number of cells that every connection of the pair needs.
template <int Words>
void add_wires(const Connections<Words>& connections, std::vector<Wire>& wires) {
  const int cells = connections.first_edge();
  const auto is_empty = [&](int end) { return end < cells && !connections.own().test(end); };
  for (int a = 0; a < connections.second_edge(); ++a) {
    for (int b = a + 1; b <= connections.second_edge(); ++b) {
      const int empty = is_empty(a) + is_empty(b);
      const auto carriers = connections.full(a, b);
      if (empty == 0 || carriers.empty()) continue;
      auto needed = carriers[0];
      bool touch = false;
      for (const auto& carrier : carriers) {
        needed &= carrier;
        touch = touch || !carrier.any();
      }
      if (!touch) wires.push_back({a, b, (empty == 2 ? 1.0 : 2.0) / (1 + needed.count())});
    }
  }
}

}  // namespace fingal
