// Both colours' connections, which go from position to position by updates where that is not far.
#pragma once

#include "connections.hpp"

namespace fingal {

template <int Words>
class MovingConnections {
 public:
  using Set = Bits<Words>;
  using Stones = std::array<Set, 2>;  // by colour

  explicit MovingConnections(const Geometry<Words>& g, const ConnectionLimits& limits = {})
      : connections_{{{g, kBlack, limits}, {g, kWhite, limits}}} {}

  // A colour's connections among these stones, by way of those among `before`, which others may need again. Updates of
  // one's own have to be undone before it is asked again.
  Connections<Words>& at(Colour colour, const Stones& before, const Stones& stones) {
    go_to(colour, before);
    go_to(colour, stones);
    return connections_[colour];
  }

  // The next ones are built from scratch.
  void forget() { updates_ = {-1, -1}; }

  // As Connections' own. What the deadline before has cut short is built anew when it is asked for again.
  void set_deadline(std::chrono::steady_clock::time_point deadline) {
    for (const auto colour : {kBlack, kWhite}) {
      if (connections_[colour].cut_short()) updates_[colour] = -1;
      connections_[colour].set_deadline(deadline);
    }
  }
  bool cut_short() const { return connections_[kBlack].cut_short() || connections_[kWhite].cut_short(); }

  // As they were when they were last asked for.
  const Connections<Words>& operator[](Colour colour) const { return connections_[colour]; }

 private:
  void go_to(Colour colour, const Stones& stones) {
    auto& connections = connections_[colour];
    auto& updates = updates_[colour];
    const auto is_past = [&](const Set& own, const Set& opponent) {
      return (own - stones[colour]).any() || (opponent - stones[other(colour)]).any();
    };
    while (updates > 0 && is_past(connections.own(), connections.opponent())) {
      connections.undo();
      --updates;
    }
    if (updates < 0 || is_past(connections.own(), connections.opponent())) {
      connections.build(stones[colour], stones[other(colour)]);
      updates = 0;
      return;
    }
    const auto own = stones[colour] - connections.own(), opponent = stones[other(colour)] - connections.opponent();
    if (!own.any() && !opponent.any()) return;
    connections.update(own, opponent);
    ++updates;
  }

  std::array<Connections<Words>, 2> connections_;
  std::array<int, 2> updates_{-1, -1};  // made since the last build; -1: there was none
};

}  // namespace fingal
