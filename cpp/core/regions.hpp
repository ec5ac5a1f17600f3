// A position as a sum of regions: sets of empty cells that touch each other only through stones.
//
// What happens in a region matters to the rest only by which of the groups around it are joined. Where one colour has
// no more than one group there, nothing can be joined or cut: the region is dead. Where both colours have two, either
// Black joins his two or White joins hers, as on a board of its own; the one who does so moving second owns all of it.
#pragma once

#include <vector>

#include "geometry.hpp"

namespace fingal {

template <int Words>
struct Region {
  using Set = Bits<Words>;

  Set cells;
  // By colour: the groups that touch the region, each by its stones; an edge and its stones are one group.
  std::array<std::vector<Set>, 2> groups;
  // By colour and group: the region's cells that touch it.
  std::array<std::vector<Set>, 2> reach;

  bool is_dead() const { return groups[0].size() < 2 || groups[1].size() < 2; }
  bool has_four_sides() const { return groups[0].size() == 2 && groups[1].size() == 2; }
};

// The regions of a position in which nobody has won.
template <int Words>
std::vector<Region<Words>> decompose(const Geometry<Words>& g, const Bits<Words>& black, const Bits<Words>& white) {
  using Set = Bits<Words>;
  const auto grow = [&](Set set, const Set& within) {
    for (;;) {
      const auto grown = g.dilate(set) & within;
      if (grown == set) return set;
      set = grown;
    }
  };
  const std::array<Set, 2> stones = {black, white};
  std::vector<Region<Words>> result;
  for (auto left = g.all - (black | white); left.any();) {
    auto& region = result.emplace_back();
    region.cells = grow(Set::of(left.lowest()), left);
    left = left - region.cells;
    for (const auto colour : {kBlack, kWhite}) {
      const auto add = [&](const Set& group, const Set& reach) {
        if (!reach.any()) return;
        region.groups[colour].push_back(group);
        region.reach[colour].push_back(reach);
      };
      auto around = g.dilate(region.cells) & stones[colour];
      for (const auto& edge : g.edge[colour]) {
        const auto group = grow(stones[colour] & edge, stones[colour]);
        add(group, (g.dilate(group) | edge) & region.cells);
        around = around - group;
      }
      while (around.any()) {
        const auto group = grow(Set::of(around.lowest()), stones[colour]);
        add(group, g.dilate(group) & region.cells);
        around = around - group;
      }
    }
  }
  return result;
}

// The largest region that is worth solving by trying everything.
constexpr int kSmallRegion = 8;

// Who owns a region of four sides and at most kSmallRegion cells, whoever moves first there: kBlack, kWhite, or kNobody
// when it is the one who moves first.
template <int Words>
int owner(const Geometry<Words>& g, const Region<Words>& region);

}  // namespace fingal
