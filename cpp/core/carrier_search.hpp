// Whether a claimed connection holds, by plain search of its carrier alone: every cell outside it is the opponent's.
// It knows the rules and nothing else: no connections, no templates, no inferior cells.
#pragma once

#include <cstdint>
#include <vector>

#include "geometry.hpp"

namespace fingal {

// Two terminals, the carrier's cells as bits, and who touches whom.
struct CarrierGame {
  std::vector<std::uint64_t> touches;  // by node, the nodes it touches
  std::uint64_t first = 0;             // the nodes that touch one terminal
  std::uint64_t second = 0;            // and the other
  std::uint64_t open = 0;              // the nodes that may be played on; the others are the owner's stones
  bool joined = false;                 // the terminals touch without any of them

  // Throws std::invalid_argument when there are more than 64 nodes. Ends as in ConnectionStore; they count as stones.
  template <int Words>
  static CarrierGame make(const Geometry<Words>& g, Colour colour, const Bits<Words>& own, int a, int b,
                          const Bits<Words>& carrier);

  // Whether the owner joins the terminals against every defence.
  bool holds(bool owner_first) const;
};

}  // namespace fingal
