// Whether a claimed connection holds, by search of its carrier alone: every cell outside it is the opponent's.
// It knows the rules and nothing else: no connections, no templates, no patterns of inferior cells.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "geometry.hpp"

namespace fingal {

constexpr int kMostCarrierCells = 62;  // a bit each, beside two terminals

struct CarrierVerdict {
  bool holds;
  std::uint64_t needs;  // the cells that the winner's way of winning uses, by their order in the carrier
};

// The game on a carrier as a graph of its cells. The owner's stones are not in it: what touches one group touches each
// other.
struct CarrierGame {
  static constexpr std::uint64_t kFirst = std::uint64_t{1} << 62;  // the terminals, beside at most 62 cells
  static constexpr std::uint64_t kSecond = std::uint64_t{1} << 63;

  std::vector<std::uint64_t> touches;  // by cell, the cells and terminals that it touches
  bool joined = false;                 // the terminals touch without any of them

  // Throws std::invalid_argument when there are more than 62 cells. Ends as in ConnectionStore; they count as stones.
  template <int Words>
  static CarrierGame make(const Geometry<Words>& g, Colour colour, const Bits<Words>& own, int a, int b,
                          const Bits<Words>& carrier);

  // Whether the owner joins the terminals against every defence.
  bool holds(bool owner_first) const { return search(owner_first)->holds; }
  // Likewise, with what the winner needs; nothing when it took more than `most` positions (0: no limit).
  std::optional<CarrierVerdict> search(bool owner_first, std::int64_t most = 0) const;
};

}  // namespace fingal
