// Inferior cells by shortest paths, which reach further than local patterns: stones of one group count as one.
//
// Take a colour's graph: its nodes are the empty cells and its two edges; two nodes are joined when they touch each
// other or a common group of the colour's stones. On a full board the colour wins when there is a path of its cells
// from edge to edge, and a shortest one uses no two nodes that are joined other than one after the other. So
//  - a cell is dead when all its neighbours in the graph are joined to each other;
//  - it is vulnerable to the opponent on z when that is so without z;
//  - cells that cannot be reached from an edge but through the neighbours of one group are dead, since those are all
//    joined to each other: a path in and out would use two of them (of an edge's group, a path from the other edge).
#pragma once

#include "geometry.hpp"

namespace fingal {

template <int Words>
class Paths {
 public:
  using Set = Bits<Words>;

  Paths(const Geometry<Words>& g, Colour colour, const Set& own, const Set& empty) : g_(g), own_(own), empty_(empty) {
    for (std::size_t side = 0; side < 2; ++side) {
      const auto& edge = g.edge[colour][side];
      edge_group_[side] = grow(own & edge);
      edge_reach_[side] = (g.dilate(edge_group_[side]) | edge) & empty;
    }
    empty.for_each([&](int cell) { joined_[std::size_t(cell)] = g.cell[std::size_t(cell)].neighbours & empty; });
    for (auto left = own - edge_group_[0] - edge_group_[1]; left.any();) {
      const auto group = grow(Set::of(left.lowest()));
      left = left - group;
      const auto reach = g.dilate(group) & empty;
      if (reach.count() < 2) continue;
      reaches_[groups_++] = reach;
      reach.for_each([&](int cell) { joined_[std::size_t(cell)] |= reach; });
    }
    empty.for_each([&](int cell) { joined_[std::size_t(cell)].reset(cell); });
  }

  // Whether the neighbours of `cell` are joined to each other; otherwise `killers` holds the cells without which they
  // would be, at most two.
  bool is_dead(int cell, Set& killers) const {
    const auto& near = g_.cell[std::size_t(cell)].neighbours;
    if ((near & empty_).count() >= 5 && !near.intersects(own_)) return false;  // too open to be worth the time
    const auto& around = joined_[std::size_t(cell)];
    const bool at_first = edge_reach_[0].test(cell), at_second = edge_reach_[1].test(cell);
    if (at_first && at_second) return false;
    int clash = -1, other = -1;  // two neighbours that are not joined, as far as it may help to do without them
    for (std::size_t side = 0; side < 2; ++side) {
      if (!(side == 0 ? at_first : at_second)) continue;
      const auto apart = around - edge_reach_[side];
      if (apart.any()) clash = apart.lowest();
    }
    for (auto left = around; clash < 0 && left.any();) {
      const int node = left.lowest();
      left.reset(node);
      const auto apart = left - joined_[std::size_t(node)];
      if (!apart.any()) continue;
      clash = node;
      if (apart.count() == 1) other = apart.lowest();  // otherwise a clash is left without it
    }
    if (clash < 0) return true;
    for (const int z : {clash, other}) {
      if (z >= 0 && all_joined(without(around, z), at_first, at_second)) killers.set(z);
    }
    return false;
  }

  // The cells cut off by one group's neighbours, or from one of the edges.
  Set cut_off() const {
    Set result = empty_ - (reached({}, true, false) & reached({}, false, true));
    for (std::size_t i = 0; i < groups_; ++i) {
      result |= empty_ - reaches_[i] - reached(reaches_[i], true, true);
    }
    for (std::size_t side = 0; side < 2; ++side) {
      result |= empty_ - edge_reach_[side] - reached(edge_reach_[side], side == 1, side == 0);
    }
    return result;
  }

 private:
  static Set without(Set set, int cell) {
    set.reset(cell);
    return set;
  }

  Set grow(Set group) const {
    for (;;) {
      const auto grown = g_.dilate(group) & own_;
      if (grown == group) return group;
      group = grown;
    }
  }

  bool all_joined(const Set& nodes, bool first, bool second) const {
    if ((first && (nodes - edge_reach_[0]).any()) || (second && (nodes - edge_reach_[1]).any())) return false;
    for (auto left = nodes; left.any();) {
      const int node = left.lowest();
      left.reset(node);
      if ((left - joined_[std::size_t(node)]).any()) return false;
    }
    return true;
  }

  // What can be reached over empty cells and own stones from the edges, without the cells of `cut`.
  Set reached(const Set& cut, bool from_first, bool from_second) const {
    const auto open = (empty_ | own_) - cut;
    Set seen;
    if (from_first) seen |= (edge_group_[0] | edge_reach_[0]) & open;
    if (from_second) seen |= (edge_group_[1] | edge_reach_[1]) & open;
    for (;;) {
      const auto grown = g_.dilate(seen) & open;
      if (grown == seen) return seen;
      seen = grown;
    }
  }

  const Geometry<Words>& g_;
  Set own_;
  Set empty_;
  std::array<Set, 2> edge_group_;
  std::array<Set, 2> edge_reach_;                     // the empty cells that touch an edge's group
  std::array<Set, std::size_t(64 * Words)> reaches_;  // the same of every other group with two or more
  std::size_t groups_ = 0;
  std::array<Set, std::size_t(64 * Words)> joined_;  // by empty cell
};

}  // namespace fingal
