#include "carrier_search.hpp"

#include <array>
#include <bit>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace fingal {

namespace {

struct State {
  std::uint64_t own;
  std::uint64_t open;
  bool owner_moves;
  friend bool operator==(const State&, const State&) = default;
};

struct StateHash {
  std::size_t operator()(const State& s) const {
    auto mixed = (s.own * 0x9E3779B97F4A7C15u) ^ (s.open * 0xC2B2AE3D27D4EB4Fu) ^ std::uint64_t(s.owner_moves);
    mixed ^= mixed >> 29;
    return std::size_t(mixed * 0xBF58476D1CE4E5B9u);
  }
};

struct Verdict {
  bool owner_wins;
  std::uint64_t needs;  // the open cells that the winner's way of winning uses
};

class Search {
 public:
  explicit Search(const CarrierGame& game) : game_(game) {}

  // The one who moves tries cells until one wins. When a cell fails, the other side's way of winning does not need it,
  // so only the cells that this way does need are left to try.
  Verdict solve(const State& state) {
    const auto from_first = flood(game_.first & state.own, state.own);
    if (game_.joined || (from_first & game_.second)) return {true, 0};
    const auto all = state.own | state.open;
    if (!(flood(game_.first & all, all) & game_.second)) return {false, 0};
    const auto from_second = flood(game_.second & state.own, state.own);
    const auto near_first = (game_.first | around(from_first)) & state.open;
    const auto near_second = (game_.second | around(from_second)) & state.open;
    const auto wins = near_first & near_second;
    const auto one = wins & (~wins + 1);
    if (wins && state.owner_moves) return {true, one};
    if (wins & ~one) {
      const auto rest = wins & ~one;
      return {true, one | (rest & (~rest + 1))};
    }
    const auto found = known_.find(state);
    if (found != known_.end()) return found->second;
    Verdict verdict{!state.owner_moves, wins};
    Order order;
    if (!wins) order = order_of(state, near_first, near_second);
    auto left = wins ? wins : state.open;
    while (left) {
      const auto move = order.best(left);
      const auto reply =
          solve({state.owner_moves ? state.own | move : state.own, state.open & ~move, !state.owner_moves});
      if (reply.owner_wins == state.owner_moves) {
        verdict = {state.owner_moves, reply.needs | move};
        break;
      }
      verdict.needs |= reply.needs;
      left &= reply.needs & ~move;
    }
    known_.emplace(state, verdict);
    return verdict;
  }

 private:
  // Cells by two-distance (van Rijswijck): how far from each terminal when the opponent takes the best way on at every
  // step. A matter of order only.
  struct Order {
    std::array<std::uint8_t, 64> far;

    std::uint64_t best(std::uint64_t cells) const {
      std::uint64_t result = cells & (~cells + 1);
      if (result == cells) return result;
      for (auto rest = cells; rest; rest &= rest - 1) {
        if (far[std::size_t(std::countr_zero(rest))] < far[std::size_t(std::countr_zero(result))]) {
          result = rest & (~rest + 1);
        }
      }
      return result;
    }
  };

  Order order_of(const State& state, std::uint64_t near_first, std::uint64_t near_second) const {
    // Who touches whom, with the owner's groups taken away and their neighbours put together.
    std::array<std::uint64_t, 64> touches{};
    for (auto rest = state.open; rest; rest &= rest - 1) {
      const auto i = std::size_t(std::countr_zero(rest));
      touches[i] = game_.touches[i] & state.open;
    }
    for (auto rest = state.own; rest;) {
      const auto group = flood(rest & (~rest + 1), state.own);
      rest &= ~group;
      const auto near = around(group) & state.open;
      for (auto cell = near; cell; cell &= cell - 1)
        touches[std::size_t(std::countr_zero(cell))] |= near & ~(cell & (~cell + 1));
    }
    Order order;
    order.far.fill(0);
    for (const auto start : {near_first, near_second}) {
      auto ones = std::uint64_t{0};
      auto reached = start;
      auto ring = start;
      std::uint8_t distance = 1;
      while (ring) {
        std::uint64_t twos = 0;
        for (auto rest = ring; rest; rest &= rest - 1) {
          const auto i = std::size_t(std::countr_zero(rest));
          order.far[i] = std::uint8_t(order.far[i] + distance);
          twos |= ones & touches[i];
          ones |= touches[i];
        }
        ++distance;
        ring = twos & ~reached;
        reached |= ring;
      }
      for (auto rest = state.open & ~reached; rest; rest &= rest - 1) {
        const auto i = std::size_t(std::countr_zero(rest));
        order.far[i] = std::uint8_t(order.far[i] + 32);
      }
    }
    return order;
  }

  std::uint64_t around(std::uint64_t set) const {
    std::uint64_t result = 0;
    for (; set; set &= set - 1) result |= game_.touches[std::size_t(std::countr_zero(set))];
    return result;
  }
  std::uint64_t flood(std::uint64_t from, std::uint64_t within) const {
    for (auto edge = from; edge;) {
      edge = around(edge) & within & ~from;
      from |= edge;
    }
    return from;
  }

  const CarrierGame& game_;
  std::unordered_map<State, Verdict, StateHash> known_;
};

}  // namespace

template <int Words>
CarrierGame CarrierGame::make(const Geometry<Words>& g, Colour colour, const Bits<Words>& own, int a, int b,
                              const Bits<Words>& carrier) {
  CarrierGame game;
  auto stones = own;
  for (const int end : {a, b}) {
    if (end < g.cells) stones.set(end);
  }
  const auto cells = carrier - stones;
  std::vector<Bits<Words>> nodes;  // the cells that touch each node, and the node
  cells.for_each([&](int cell) { nodes.push_back(Bits<Words>::of(cell)); });
  game.open = nodes.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (nodes.size() & 63)) - 1;
  // Groups of stones, an edge being a stone of the groups that touch it.
  const auto& edge = g.edge[colour];
  std::vector<Bits<Words>> groups;
  std::vector<int> edges_of;
  auto left = stones;
  const auto flood = [&](Bits<Words> group, int edges) {
    for (;;) {
      auto grown = (g.dilate(group) & stones) | group;
      for (std::size_t side = 0; side < 2; ++side) {
        if (group.intersects(edge[side])) edges |= 1 << side;
        if (edges >> side & 1) grown |= edge[side] & stones;
      }
      if (grown == group) break;
      group = grown;
    }
    left = left - group;
    groups.push_back(group);
    edges_of.push_back(edges);
  };
  flood(edge[0] & stones, 1);
  if (!(edges_of[0] & 2)) flood(edge[1] & stones, 2);
  while (left.any()) flood(Bits<Words>::of(left.lowest()), 0);
  const auto group_of = [&](int end) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (end < g.cells ? groups[i].test(end) : edges_of[i] >> (end - g.cells) & 1) return i;
    }
    return groups.size();
  };
  const auto reach = [&](std::size_t group) {
    auto near = g.dilate(groups[group]);
    for (std::size_t side = 0; side < 2; ++side) {
      if (edges_of[group] >> side & 1) near |= edge[side];
    }
    return near & cells;
  };
  const auto group_a = group_of(a);
  const auto group_b = group_of(b);
  game.joined = group_a == group_b;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i != group_a && i != group_b && reach(i).any()) nodes.push_back(reach(i));
  }
  if (nodes.size() > 64) {
    throw std::invalid_argument("a carrier with " + std::to_string(nodes.size()) +
                                " cells and groups is too large to search: at most 64");
  }
  const auto plain = std::size_t(cells.count());
  game.touches.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto near = i < plain ? g.dilate(nodes[i]) : nodes[i];
    for (std::size_t j = 0; j < plain; ++j) {
      if (i == j || !near.intersects(nodes[j])) continue;
      game.touches[i] |= std::uint64_t{1} << j;
      game.touches[j] |= std::uint64_t{1} << i;
    }
  }
  for (std::size_t i = 0; i < plain; ++i) {
    if (reach(group_a).intersects(nodes[i])) game.first |= std::uint64_t{1} << i;
    if (reach(group_b).intersects(nodes[i])) game.second |= std::uint64_t{1} << i;
  }
  return game;
}

bool CarrierGame::holds(bool owner_first) const {
  const auto nodes = touches.size();
  const auto all = nodes == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << nodes) - 1;
  return Search(*this).solve({all & ~open, open, owner_first}).owner_wins;
}

template CarrierGame CarrierGame::make<1>(const Geometry<1>&, Colour, const Bits<1>&, int, int, const Bits<1>&);
template CarrierGame CarrierGame::make<2>(const Geometry<2>&, Colour, const Bits<2>&, int, int, const Bits<2>&);
template CarrierGame CarrierGame::make<3>(const Geometry<3>&, Colour, const Bits<3>&, int, int, const Bits<3>&);
template CarrierGame CarrierGame::make<4>(const Geometry<4>&, Colour, const Bits<4>&, int, int, const Bits<4>&);
template CarrierGame CarrierGame::make<5>(const Geometry<5>&, Colour, const Bits<5>&, int, int, const Bits<5>&);
template CarrierGame CarrierGame::make<6>(const Geometry<6>&, Colour, const Bits<6>&, int, int, const Bits<6>&);

}  // namespace fingal
