// Connections worked by hand, and claims attacked by plain search of their carriers.
#include "core/connections.hpp"

#include <algorithm>
#include <chrono>
#include <tuple>

#include "check.hpp"
#include "core/carrier_search.hpp"
#include "core/edge_templates.hpp"
#include "core/moving_connections.hpp"
#include "core/position.hpp"

using namespace fingal;

namespace {

template <int Words>
Bits<Words> cells(std::initializer_list<int> list) {
  Bits<Words> result;
  for (const int cell : list) result.set(cell);
  return result;
}

template <int Words>
bool has(std::span<const Bits<Words>> carriers, const Bits<Words>& carrier) {
  return std::find(carriers.begin(), carriers.end(), carrier) != carriers.end();
}

void test_bridge() {
  const auto& g = geometry<1>(5, 5);
  Connections<1> black(g, kBlack, {});
  // b2 and c3: a bridge over c2 and b3.
  black.build(cells<1>({6, 12}), Bits<1>{});
  CHECK(has(black.full(6, 12), cells<1>({7, 11})));
  // White in c2: Black has to answer in b3.
  black.build(cells<1>({6, 12}), cells<1>({7}));
  CHECK(!has(black.full(6, 12), cells<1>({11})));
  CHECK(has(black.semi(6, 12), cells<1>({11})));
}

void test_winner() {
  const auto& g = geometry<1>(3, 3);
  Connections<1> black(g, kBlack, {});
  Connections<1> white(g, kWhite, {});
  black.build(Bits<1>{}, Bits<1>{});
  white.build(Bits<1>{}, Bits<1>{});
  CHECK(!black.won() && !white.won());
  CHECK(must_play(white, g.all).count() < 9);
  black.build(cells<1>({4}), Bits<1>{});
  white.build(Bits<1>{}, cells<1>({4}));
  CHECK(black.won() && !white.won());
  CHECK(black.smallest_win() == cells<1>({1, 2, 6, 7}));
  // A chain of stones needs no cell; nor does anything when a side is one cell long.
  black.build(cells<1>({1, 4, 7}), Bits<1>{});
  CHECK(black.won() && !black.smallest_win().any());
}

void test_edge_templates() {
  // A stone alone on the second to fourth row is joined to the edge when there is room.
  const auto& g = geometry<2>(12, 6);
  Connections<2> black(g, kBlack, {});
  black.build(Bits<2>{}, Bits<2>{});
  for (const int row : {4, 3, 2}) CHECK(!black.full(row * 12 + 6, black.second_edge()).empty());
  CHECK(has(black.full(4 * 12 + 6, black.second_edge()), cells<2>({5 * 12 + 5, 5 * 12 + 6})));
}

// Every template that is not too large for a quick test, at every place of a small board, for both colours.
void test_template_places() {
  const auto& g = geometry<1>(8, 6);
  int proved = 0;
  for (const auto colour : {kBlack, kWhite}) {
    for (const auto& place : TemplateTable<1>::shared(g, colour).places()) {
      if (place.carrier.count() > 15) continue;
      const auto game = CarrierGame::make(g, colour, place.stones, place.end, place.other, place.carrier);
      CHECK(game.holds(false));
      ++proved;
    }
  }
  CHECK(proved > 20);
}

template <int Words>
int attack(const Geometry<Words>& g, const Connections<Words>& connections, int largest) {
  int attacked = 0;
  const auto check = [&](int a, int b, const Bits<Words>& carrier, bool semi) {
    CHECK(!carrier.intersects(connections.own() | connections.opponent()));
    if (carrier.count() > largest || carrier.count() < 2) return;
    CHECK(CarrierGame::make(g, connections.colour(), connections.own(), a, b, carrier).holds(semi));
    ++attacked;
  };
  connections.for_each_full([&](int a, int b, const auto& carrier) { check(a, b, carrier, false); });
  connections.for_each_semi([&](int a, int b, const auto& carrier) { check(a, b, carrier, true); });
  return attacked;
}

void test_claims_hold() {
  Random random(11);
  int attacked = 0;
  for (int round = 0; round < 12; ++round) {
    const auto& g = geometry<1>(5 + round % 4, 5 + round % 3);
    Position<1> position(g);
    const int moves = int(random() % std::uint64_t(g.cells / 2));
    for (int i = 0; i < moves && !position.over(); ++i) {
      const auto empty = position.empty();
      position.play(empty.select(int(random() % std::uint64_t(empty.count()))));
    }
    if (position.over()) continue;
    for (const auto colour : {kBlack, kWhite}) {
      Connections<1> connections(g, colour, {});
      connections.build(position.stones(colour), position.stones(other(colour)));
      attacked += attack(g, connections, 11);
    }
  }
  CHECK(attacked > 2000);
}

template <int Words>
std::vector<std::tuple<bool, int, int, Bits<Words>>> all_of(const Connections<Words>& connections) {
  std::vector<std::tuple<bool, int, int, Bits<Words>>> result;
  connections.for_each_full([&](int a, int b, const auto& carrier) { result.emplace_back(false, a, b, carrier); });
  connections.for_each_semi([&](int a, int b, const auto& carrier) { result.emplace_back(true, a, b, carrier); });
  return result;
}

// Games on several boards, one or two stones at a time: claims hold after every update, and undo restores all of them.
void test_updates() {
  Random random(23);
  int attacked = 0;
  for (int round = 0; round < 8; ++round) {
    const auto& g = geometry<1>(4 + round % 4, 5 + round % 3);
    for (const auto colour : {kBlack, kWhite}) {
      Connections<1> connections(g, colour, {});
      connections.build(Bits<1>{}, Bits<1>{});
      std::vector<std::vector<std::tuple<bool, int, int, Bits<1>>>> before;
      for (int step = 0; step < g.cells / 3; ++step) {
        auto empty = g.all - (connections.own() | connections.opponent());
        std::array<Bits<1>, 2> added;
        for (std::size_t side = 0; side < 2; ++side) {
          if (random() % 3 == 0) continue;
          const int cell = empty.select(int(random() % std::uint64_t(empty.count())));
          added[side].set(cell);
          empty.reset(cell);
        }
        before.push_back(all_of(connections));
        connections.update(added[0], added[1]);
        attacked += attack(g, connections, 9);
      }
      for (; !before.empty(); before.pop_back()) {
        connections.undo();
        CHECK(all_of(connections) == before.back());
      }
    }
  }
  CHECK(attacked > 2000);
}

void test_update_joins_and_kills() {
  const auto& g = geometry<1>(5, 5);
  Connections<1> black(g, kBlack, {});
  black.build(cells<1>({6, 12}), Bits<1>{});
  black.update(Bits<1>{}, cells<1>({7}));
  CHECK(black.full(6, 12).empty() || !black.full(6, 12)[0].intersects(cells<1>({7})));
  CHECK(has(black.semi(6, 12), cells<1>({11})));
  black.update(cells<1>({11}), Bits<1>{});
  CHECK(black.end_of(6) == black.end_of(12));
  black.update(cells<1>({2, 17}), Bits<1>{});
  CHECK(black.won());
  black.undo();
  black.undo();
  CHECK(black.end_of(6) != black.end_of(12));
}

// When it is late little is found, but what is found holds, can be taken back, and is completed when there is time.
void test_late() {
  using Clock = std::chrono::steady_clock;
  const auto& g = geometry<1>(8, 8);
  const auto own = cells<1>({12, 34}), opponent = cells<1>({28, 41});
  Connections<1> in_time(g, kBlack, {}), late(g, kBlack, {});
  in_time.build(own, opponent);
  late.set_deadline(Clock::now());
  late.build(own, opponent);
  CHECK(late.cut_short() && !in_time.cut_short());
  const auto before = all_of(late);
  CHECK(!before.empty() && 10 * before.size() < all_of(in_time).size());
  late.update(cells<1>({20}), cells<1>({43}));
  CHECK(attack(g, late, 9) > 0);
  late.undo();
  CHECK(all_of(late) == before);

  MovingConnections<1> moving(g);
  const MovingConnections<1>::Stones stones{own, opponent};
  moving.set_deadline(Clock::now());
  moving.at(kBlack, {}, stones);
  CHECK(moving.cut_short());
  moving.set_deadline(Clock::time_point::max());
  CHECK(all_of(moving.at(kBlack, stones, stones)) == all_of(in_time));
  CHECK(!moving.cut_short());
}

}  // namespace

int main() {
  test_bridge();
  test_winner();
  test_edge_templates();
  test_template_places();
  test_claims_hold();
  test_updates();
  test_update_joins_and_kills();
  test_late();
  return verdict();
}
