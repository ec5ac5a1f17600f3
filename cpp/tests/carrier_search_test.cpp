// The search of a carrier against one that a beginner would write, and on connections worked by hand.
#include "core/carrier_search.hpp"

#include "check.hpp"
#include "core/random.hpp"

using namespace fingal;

namespace {

using Set = Bits<1>;

// Every order of moves, with no memory: whether `owned` can be made to join a and b.
bool joins(const Geometry<1>& g, Colour colour, const Set& owned, int a, int b) {
  const auto cells_of = [&](int end) {
    return end < g.cells ? Set::of(end) : g.edge[colour][std::size_t(end - g.cells)] & owned;
  };
  auto reached = cells_of(a);
  bool top = a == g.cells;
  bool bottom = a == g.cells + 1;
  for (;;) {
    auto grown = (g.dilate(reached) & owned) | reached;
    top |= grown.intersects(g.edge[colour][0]);
    bottom |= grown.intersects(g.edge[colour][1]);
    if (top) grown |= g.edge[colour][0] & owned;
    if (bottom) grown |= g.edge[colour][1] & owned;
    if (grown == reached) break;
    reached = grown;
  }
  return b < g.cells ? reached.test(b) : b == g.cells ? top : bottom;
}

bool plain(const Geometry<1>& g, Colour colour, const Set& owned, const Set& open, int a, int b, bool owner_first) {
  if (!open.any()) return joins(g, colour, owned, a, b);
  bool found = false;
  open.for_each([&](int cell) {
    if (found) return;
    const bool wins =
        plain(g, colour, owner_first ? owned | Set::of(cell) : owned, open - Set::of(cell), a, b, !owner_first);
    found = wins == owner_first;
  });
  return found == owner_first;
}

void test_random_carriers() {
  Random random(3);
  for (int round = 0; round < 3000; ++round) {
    const int width = 2 + int(random() % 4);
    const int height = 2 + int(random() % 4);
    const auto& g = geometry<1>(width, height);
    const auto colour = Colour(random() % 2);
    Set own;
    Set carrier;
    for (int cell = 0; cell < g.cells; ++cell) {
      const auto draw = random() % 4;
      if (draw == 0) own.set(cell);
      if (draw >= 2 && carrier.count() < (round % 50 ? 7 : 9)) carrier.set(cell);
    }
    const int a = int(random() % std::uint64_t(g.cells + 2));
    const int b = int(random() % std::uint64_t(g.cells + 2));
    if (a == b) continue;
    auto owned = own;
    for (const int end : {a, b}) {
      if (end < g.cells) owned.set(end);
    }
    const auto game = CarrierGame::make(g, colour, own, a, b, carrier);
    const auto open = carrier - owned;
    for (const bool owner_first : {false, true}) {
      const auto verdict = *game.search(owner_first);
      CHECK(verdict.holds == plain(g, colour, owned, open, a, b, owner_first));
      // What the winner does not need may be the loser's.
      Set needs;
      for (int i = 0; i < open.count(); ++i) {
        if (verdict.needs >> i & 1) needs.set(open.select(i));
      }
      const auto given = verdict.holds ? owned : owned | (open - needs);
      CHECK(verdict.holds == plain(g, colour, given, needs, a, b, owner_first));
    }
  }
}

void test_bridge() {
  const auto& g = geometry<1>(4, 4);
  Set carrier = Set::of(6);  // c2 and b3 lie between b2 and c3
  carrier.set(9);
  CHECK(CarrierGame::make(g, kBlack, Set{}, 5, 10, carrier).holds(false));
  CHECK(!CarrierGame::make(g, kBlack, Set{}, 5, 10, Set::of(6)).holds(false));
  CHECK(CarrierGame::make(g, kBlack, Set{}, 5, 10, Set::of(6)).holds(true));
}

// A template with two helping stones: 32 cells, and none of them can be spared.
void test_many_cells() {
  const auto& g = geometry<1>(11, 5);
  Set carrier;
  Set stones;
  int end = -1;
  const char* rows[] = {"...*******S", "..O********", ".*********.", "S*.*******."};
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 11; ++column) {
      const int cell = 11 * (row + 1) + column;
      if (rows[row][column] == '*') carrier.set(cell);
      if (rows[row][column] == 'S') stones.set(cell);
      if (rows[row][column] == 'O') end = cell;
    }
  }
  const auto game = [&](const Set& cells) { return CarrierGame::make(g, kBlack, stones, end, g.cells + 1, cells); };
  CHECK(carrier.count() == 32);
  CHECK(game(carrier).holds(false));
  CHECK(!game(carrier).search(false, 10));
  for (int i = 0; i < 32; i += 5) CHECK(!game(carrier - Set::of(carrier.select(i))).holds(false));
}

void test_too_large() {
  const auto& g = geometry<2>(9, 9);
  CHECK(refuses([&] { CarrierGame::make(g, kBlack, Bits<2>{}, 81, 82, g.all); }, "81 cells"));
}

}  // namespace

int main() {
  test_random_carriers();
  test_bridge();
  test_many_cells();
  test_too_large();
  return verdict();
}
