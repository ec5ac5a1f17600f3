// The game on a carrier, from a board.
#include <stdexcept>
#include <string>

#include "carrier_search.hpp"

namespace fingal {

namespace {

// The owner's groups; an edge is a stone of the groups that touch it.
template <int Words>
class Groups {
 public:
  using Set = Bits<Words>;

  Groups(const Geometry<Words>& g, Colour colour, const Set& stones) : g_(g), edge_(g.edge[colour]), left_(stones) {
    flood(edge_[0] & stones, 1, stones);
    if (!(edges_[0] & 2)) flood(edge_[1] & stones, 2, stones);
    while (left_.any()) flood(Set::of(left_.lowest()), 0, stones);
  }

  std::size_t count() const { return groups_.size(); }
  // Of a stone or an edge.
  std::size_t of(int end) const {
    std::size_t i = 0;
    while (end < g_.cells ? !groups_[i].test(end) : !(edges_[i] >> (end - g_.cells) & 1)) ++i;
    return i;
  }
  // The cells that touch a group.
  Set around(std::size_t group) const {
    auto near = g_.dilate(groups_[group]);
    for (std::size_t side = 0; side < 2; ++side) {
      if (edges_[group] >> side & 1) near |= edge_[side];
    }
    return near;
  }

 private:
  void flood(Set group, int edges, const Set& stones) {
    for (;;) {
      auto grown = (g_.dilate(group) & stones) | group;
      for (std::size_t side = 0; side < 2; ++side) {
        if (group.intersects(edge_[side])) edges |= 1 << side;
        if (edges >> side & 1) grown |= edge_[side] & stones;
      }
      if (grown == group) break;
      group = grown;
    }
    left_ = left_ - group;
    groups_.push_back(group);
    edges_.push_back(edges);
  }

  const Geometry<Words>& g_;
  const std::array<Set, 2>& edge_;
  Set left_;
  std::vector<Set> groups_;
  std::vector<int> edges_;  // by group, the edges it touches as bits
};

}  // namespace

template <int Words>
CarrierGame CarrierGame::make(const Geometry<Words>& g, Colour colour, const Bits<Words>& own, int a, int b,
                              const Bits<Words>& carrier) {
  auto stones = own;
  for (const int end : {a, b}) {
    if (end < g.cells) stones.set(end);
  }
  std::vector<int> cells;
  (carrier - stones).for_each([&](int cell) { cells.push_back(cell); });
  if (cells.size() > std::size_t(kMostCarrierCells)) {
    throw std::invalid_argument("a carrier with " + std::to_string(cells.size()) +
                                " cells is too large to search: at most " + std::to_string(kMostCarrierCells));
  }
  const auto nodes_in = [&](const Bits<Words>& set) {
    std::uint64_t nodes = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) nodes |= std::uint64_t{set.test(cells[i])} << i;
    return nodes;
  };
  CarrierGame game;
  for (const int cell : cells) game.touches.push_back(nodes_in(g.cell[std::size_t(cell)].neighbours));
  const Groups<Words> groups(g, colour, stones);
  for (std::size_t group = 0; group < groups.count(); ++group) {
    const auto near = nodes_in(groups.around(group));
    const auto ends = (groups.of(a) == group ? kFirst : 0) | (groups.of(b) == group ? kSecond : 0);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (near >> i & 1) game.touches[i] |= ends ? ends : near & ~(std::uint64_t{1} << i);
    }
  }
  game.joined = groups.of(a) == groups.of(b);
  return game;
}

template CarrierGame CarrierGame::make<1>(const Geometry<1>&, Colour, const Bits<1>&, int, int, const Bits<1>&);
template CarrierGame CarrierGame::make<2>(const Geometry<2>&, Colour, const Bits<2>&, int, int, const Bits<2>&);
template CarrierGame CarrierGame::make<3>(const Geometry<3>&, Colour, const Bits<3>&, int, int, const Bits<3>&);
template CarrierGame CarrierGame::make<4>(const Geometry<4>&, Colour, const Bits<4>&, int, int, const Bits<4>&);
template CarrierGame CarrierGame::make<5>(const Geometry<5>&, Colour, const Bits<5>&, int, int, const Bits<5>&);
template CarrierGame CarrierGame::make<6>(const Geometry<6>&, Colour, const Bits<6>&, int, int, const Bits<6>&);

}  // namespace fingal
