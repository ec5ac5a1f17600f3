// Inferior cells against plain search in every position of small boards, and by hand.
#include "core/inferior.hpp"

#include "check.hpp"
#include "core/cell.hpp"
#include "core/inferior_patterns.hpp"
#include "core/random.hpp"
#include "slow_hex.hpp"

using namespace fingal;

namespace {

// Who wins every position of a small board: positions are numbers in base 3, 0 empty, 1 Black, 2 White.
class EveryPosition {
 public:
  EveryPosition(int width, int height) : board_(width, height) {
    std::size_t count = 1;
    for (int i = 0; i < width * height; ++i, count *= 3) place_.push_back(count);
    for (auto& winner : winner_) winner.resize(count);
    decided_.resize(count);
    // A move makes the number larger.
    for (auto number = count; number-- > 0;) solve(number);
  }

  std::size_t count() const { return decided_.size(); }
  int stone(std::size_t number, int cell) const { return int(number / place_[std::size_t(cell)] % 3) - 1; }
  std::size_t with(std::size_t number, int cell, int colour) const {
    return number + std::size_t(colour + 1) * place_[std::size_t(cell)];
  }
  bool decided(std::size_t number) const { return decided_[number]; }
  int winner(std::size_t number, int to_move) const { return winner_[to_move][number]; }
  // Whether a move on an empty cell wins.
  bool wins(std::size_t number, int cell, int colour) const {
    return winner(with(number, cell, colour), 1 - colour) == colour;
  }

 private:
  void solve(std::size_t number) {
    const int cells = int(place_.size());
    for (int cell = 0; cell < cells; ++cell) board_.stone[std::size_t(cell)] = stone(number, cell);
    const int joined = board_.winner();
    decided_[number] = joined >= 0;
    for (const int to_move : {0, 1}) {
      int winner = joined >= 0 ? joined : 1 - to_move;
      for (int cell = 0; cell < cells && joined < 0; ++cell) {
        if (stone(number, cell) < 0 && wins(number, cell, to_move)) winner = to_move;
      }
      winner_[to_move][number] = std::int8_t(winner);
    }
  }

  SlowHex board_;
  std::vector<std::size_t> place_;
  std::vector<std::int8_t> winner_[2];  // by side to move
  std::vector<bool> decided_;
};

void compare_with_search(int width, int height) {
  const EveryPosition every(width, height);
  const auto& g = geometry<1>(width, height);
  int fills = 0, prunes = 0;
  for (std::size_t number = 0; number < every.count(); ++number) {
    if (every.decided(number)) continue;
    Bits<1> black, white;
    for (int cell = 0; cell < g.cells; ++cell) {
      if (every.stone(number, cell) == kBlack) black.set(cell);
      if (every.stone(number, cell) == kWhite) white.set(cell);
    }
    for (const auto colour : {kBlack, kWhite}) {
      const auto found = compute_inferior(g, black, white, colour);
      auto filled = number;
      for (const auto side : {kBlack, kWhite}) {
        found.fill[side].for_each([&](int cell) { filled = every.with(filled, cell, side); });
      }
      for (const int to_move : {0, 1}) CHECK(every.winner(number, to_move) == every.winner(filled, to_move));
      const auto left = g.all - (black | white | found.fill[kBlack] | found.fill[kWhite]);
      fills += left != g.all - (black | white);
      prunes += found.pruned.any();
      CHECK((found.pruned - left) == Bits<1>{});
      if (every.decided(filled) || every.winner(number, colour) != colour) continue;
      // One of the moves that are left wins, and a move that wins with the fill-in wins without it.
      bool kept = false;
      left.for_each([&](int cell) {
        if (!every.wins(filled, cell, colour)) return;
        CHECK(every.wins(number, cell, colour));
        kept = kept || !found.pruned.test(cell);
      });
      CHECK(kept);
    }
  }
  CHECK(fills > 0 && (prunes > 0 || g.cells < 9));
}

Bits<1> cells(const char* names, int width, int height) {
  Bits<1> set;
  for (std::string text = names; !text.empty();) {
    const auto space = text.find(' ');
    set.set(parse_cell(text.substr(0, space), width, height));
    text = space == std::string::npos ? "" : text.substr(space + 1);
  }
  return set;
}

void by_hand() {
  const auto& g = geometry<1>(7, 7);
  // Four black neighbours in a row around d4: no white path through it can leave again.
  auto found = compute_inferior(g, cells("d3 e3 c4 c5", 7, 7), {}, kWhite);
  CHECK((found.fill[kBlack] | found.fill[kWhite]).test(parse_cell("d4", 7, 7)));
  // A black stone on the second row owns the two cells below it; on the third it does not.
  found = compute_inferior(g, cells("d2", 7, 7), {}, kWhite);
  CHECK(((cells("d1 e1", 7, 7) - found.fill[kBlack]) == Bits<1>{}));
  found = compute_inferior(g, cells("d3", 7, 7), {}, kWhite);
  CHECK(!found.fill[kBlack].any() && !found.fill[kWhite].any());
  // Black's a1 is worth nothing once White has a2: what is left of its neighbours touches the edge anyway.
  found = compute_inferior(g, {}, {}, kBlack);
  CHECK(found.pruned.test(0));
  CHECK(!found.pruned.test(parse_cell("d4", 7, 7)));
  // Where all cells but one are worthless, that one is left; where all are, one is.
  found = compute_inferior(geometry<1>(1, 1), {}, {}, kBlack);
  CHECK(!found.pruned.any());
}

template <int Words>
void any_size(int width, int height) {
  const auto& g = geometry<Words>(width, height);
  Random random(std::uint64_t(width * 31 + height));
  for (int round = 0; round < 20; ++round) {
    Position<Words> position(g);
    for (int i = random.below(g.cells); i > 0 && !position.over(); --i) {
      const auto empty = position.empty();
      position.play(empty.select(random.below(empty.count())));
    }
    if (position.over()) continue;
    const auto found = compute_inferior(position, position.turn(), {.claims = true});
    const auto filled = found.fill[kBlack] | found.fill[kWhite];
    CHECK(!found.fill[kBlack].intersects(found.fill[kWhite]));
    CHECK(((filled | found.pruned) - position.empty()) == Bits<Words>{});
    CHECK(!filled.intersects(found.pruned));
    const auto left = position.empty() - filled;
    CHECK(!left.any() || (left - found.pruned).any());
    // The claims add up to the result.
    std::array<Bits<Words>, 2> fill;
    Bits<Words> pruned;
    for (const auto& claim : found.claims) {
      fill[kBlack] |= claim.fill[kBlack];
      fill[kWhite] |= claim.fill[kWhite];
      if (claim.cell >= 0) pruned.set(claim.cell);
    }
    CHECK(fill == found.fill && pruned == found.pruned);
  }
}

// A ring makes its cell dead when no filling of its empty cells changes colour more than twice around.
void dead_rings() {
  const auto& one = placements().front();
  CHECK(one.size == 1 && placements().size() <= kMaxPlacements);
  constexpr std::array<int, 6> around = {10, 5, 4, 8, 13, 14};  // in the ball, one after the other
  int dead = 0;
  for (int ring = 0; ring < 729; ++ring) {
    std::array<int, 6> state;
    for (int i = 0, rest = ring; i < 6; ++i, rest /= 3) state[std::size_t(i)] = rest % 3;
    bool expected = true;
    for (unsigned filling = 0; filling < 64; ++filling) {
      int changes = 0;
      const auto colour = [&](std::size_t i) { return state[i] ? state[i] - 1 : int(filling >> i & 1); };
      for (std::size_t i = 0; i < 6; ++i) changes += colour(i) != colour((i + 1) % 6);
      expected = expected && changes <= 2;
    }
    std::uint32_t black = 0, white = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      if (state[i] == 1) black |= 1u << around[i];
      if (state[i] == 2) white |= 1u << around[i];
    }
    const auto& verdict = one.verdicts[one.look_up(black, white)];
    CHECK(verdict.fills() == expected && verdict.dead == expected);
    dead += expected;
  }
  CHECK(dead > 0);
}

}  // namespace

int main() {
  dead_rings();
  by_hand();
  compare_with_search(2, 2);
  compare_with_search(3, 3);
  compare_with_search(2, 4);
  compare_with_search(4, 3);
  any_size<1>(1, 1);
  any_size<1>(2, 2);
  any_size<1>(3, 5);
  any_size<2>(11, 11);
  any_size<6>(19, 19);
  any_size<1>(1, 19);
  any_size<1>(19, 1);
  return verdict();
}
