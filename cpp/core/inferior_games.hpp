// Regions as games: the states of a few cells compared with each other, and what that proves.
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "bits.hpp"
#include "inferior_patterns.hpp"

namespace fingal {

// An order of the fillings (masks of Black's cells): by filling, a mask of those that it is at least as good as for
// Black.
constexpr int kMaxFillings = 1 << kMaxRegion;
using Order = std::array<std::uint32_t, kMaxFillings>;

// States of a region are numbers in base 3: a digit a cell, 0 empty, 1 Black, 2 White.
constexpr std::array<int, kMaxRegion + 1> kThrees = {1, 3, 9, 27, 81, 243};
constexpr int kMaxStates = kThrees[kMaxRegion];
constexpr int kBlackMark = 1, kWhiteMark = 2;

constexpr auto kDigits = [] {
  std::array<std::array<std::uint8_t, kMaxRegion>, kMaxStates> digits{};
  for (std::size_t state = 0; state < kMaxStates; ++state) {
    for (std::size_t cell = 0; cell < kMaxRegion; ++cell) {
      digits[state][cell] = std::uint8_t(int(state) / kThrees[cell] % 3);
    }
  }
  return digits;
}();

inline int digit(int state, int cell) { return kDigits[std::size_t(state)][std::size_t(cell)]; }
// The state with a stone on an empty cell.
inline int with(int state, int cell, int mark) { return state + mark * kThrees[std::size_t(cell)]; }

// Calls f.template operator()<cell>() for every cell of a region.
template <int Region, class F>
void for_each_cell(F&& f) {
  [&]<std::size_t... Cell>(std::index_sequence<Cell...>) {
    (f.template operator()<int(Cell)>(), ...);
  }(std::make_index_sequence<std::size_t(Region)>());
}

// All comparisons of states of a region, given the order of its fillings.
template <int Region>
class Comparison {
 public:
  static constexpr int kStates = kThrees[Region];

  explicit Comparison(const Order& order) {
    for (int state = 0; state < kStates; ++state) {
      int count = 0;
      for (int cell = 0; cell < Region; ++cell) {
        if (digit(state, cell) != 0) continue;
        empty_[std::size_t(cell)].set(state);
        ++count;
      }
      all_.set(state);
      with_empty_[std::size_t(count)].set(state);
    }
    // A move makes the number of a state larger, so everything that a comparison needs is there already.
    for (int first = kStates - 1; first >= 0; --first) compare(first, order);
  }

  // Whether `first` is proved to be at least as good for Black as `second`.
  bool at_least(int first, int second) const { return proved_[std::size_t(first)].test(second); }
  bool equal(int first, int second) const { return at_least(first, second) && at_least(second, first); }

 private:
  using Set = Bits<words_for(kStates)>;

  // All states `second` at once: first those that are full, then those with one empty cell, and so on.
  void compare(int first, const Order& order) {
    auto open = all_;  // every white move in `first` has an answer
    Set by_move;       // what Black's own moves in `first` lead to
    for (int cell = 0; cell < Region; ++cell) {
      if (digit(first, cell) != 0) continue;
      open &= answered_[std::size_t(with(first, cell, kWhiteMark))];
      by_move |= proved_[std::size_t(with(first, cell, kBlackMark))];
    }
    Set proved = with_empty_[0].test(first) ? ordered(first, order) : with_empty_[0] & open;
    Set answered = proved | (by_move & with_empty_[0]);
    for (std::size_t empty = 1; empty <= Region; ++empty) {
      auto here = with_empty_[empty] & open;
      for_each_cell<Region>([&]<int Cell>() {  // and every black move in `second`
        here = (here - empty_[Cell]) | (here & lowered<kBlackMark * kThrees[Cell]>(answered));
      });
      proved |= here;
      here |= by_move & with_empty_[empty];
      for_each_cell<Region>(
          [&]<int Cell>() { here |= lowered<kWhiteMark * kThrees[Cell]>(proved) & empty_[Cell] & with_empty_[empty]; });
      answered |= here;
    }
    proved_[std::size_t(first)] = proved;
    answered_[std::size_t(first)] = answered;
  }

  // `set` with every state lowered by `By`.
  template <int By>
  static Set lowered(const Set& set) {
    Set result;
    constexpr std::size_t skip = By / 64;
    for (std::size_t i = skip; i < set.word.size(); ++i) {
      result.word[i - skip] = set.word[i] >> By % 64;
      if (By % 64 && i + 1 < set.word.size()) result.word[i - skip] |= set.word[i + 1] << (64 - By % 64);
    }
    return result;
  }

  // The full states that a full state is at least as good as.
  Set ordered(int first, const Order& order) const {
    Set result;
    with_empty_[0].for_each([&](int second) {
      if (order[std::size_t(filling(first))] >> filling(second) & 1) result.set(second);
    });
    return result;
  }

  static int filling(int state) {
    int black = 0;
    for (int cell = 0; cell < Region; ++cell) black |= int(digit(state, cell) == kBlackMark) << cell;
    return black;
  }

  Set all_;
  std::array<Set, Region> empty_;           // by cell: the states in which it is empty
  std::array<Set, Region + 1> with_empty_;  // by number of empty cells
  std::array<Set, kStates> proved_;
  std::array<Set, kStates> answered_;  // what is proved once Black has answered
};

// Whether every black move that is left in the region after an exchange is as good without it: then the move that wins
// after a reversible one and its answer also wins in its place.
template <int Region>
bool exchange_keeps_moves(const Comparison<Region>& games, int exchanged) {
  for (int cell = 0; cell < Region; ++cell) {
    if (digit(exchanged, cell) == 0 && !games.at_least(with(0, cell, kBlackMark), with(exchanged, cell, kBlackMark))) {
      return false;
    }
  }
  return true;
}

// Whether the region is worth the same when it is filled to `state`, and every move that is left in it is as good for
// the mover without the fill-in: then a move that wins with it wins without it.
template <int Region>
bool fills(const Comparison<Region>& games, int state) {
  if (!games.equal(0, state)) return false;
  for (int cell = 0; cell < Region; ++cell) {
    if (digit(state, cell) != 0) continue;
    if (!games.at_least(with(0, cell, kBlackMark), with(state, cell, kBlackMark))) return false;
    if (!games.at_least(with(state, cell, kWhiteMark), with(0, cell, kWhiteMark))) return false;
  }
  return true;
}

template <int Region>
Verdict judge(const Order& order) {
  const Comparison<Region> games(order);
  constexpr int all_white = games.kStates - 1, all_black = all_white / 2;
  Verdict verdict;
  int best = 0;
  for (int state = 1; state < games.kStates; ++state) {
    std::uint8_t fill[3] = {};
    for (int cell = 0; cell < Region; ++cell) {
      auto& mask = fill[digit(state, cell)];
      mask = std::uint8_t(mask | 1u << cell);
    }
    // As much as possible, and of one colour where that makes no difference: larger groups prove more around them.
    const int one = std::max(std::popcount(fill[kBlackMark]), std::popcount(fill[kWhiteMark]));
    const int merit = (kMaxRegion + 1) * (Region - std::popcount(fill[0])) + one;
    if (merit <= best || !fills(games, state)) continue;
    best = merit;
    verdict.fill_black = fill[kBlackMark];
    verdict.fill_white = fill[kWhiteMark];
  }
  if (best) {
    verdict.dead = games.equal(all_white, all_black);
    return verdict;
  }
  for (int x = 0; x < Region; ++x) {
    for (int y = 0; y < Region; ++y) {
      if (x == y) continue;
      const auto i = std::size_t(x);
      const auto bit = std::uint8_t(1u << y), own_bit = std::uint8_t(1u << x);
      const int answered = with(with(0, x, kBlackMark), y, kWhiteMark);
      if (games.at_least(with(0, y, kBlackMark), with(0, x, kBlackMark))) {
        verdict.dominators[i] |= bit;
        verdict.dominated |= own_bit;
      }
      if (games.at_least(all_white, answered)) {
        verdict.killers[i] |= bit;
        verdict.killed |= own_bit;
      } else if (games.at_least(0, answered) && exchange_keeps_moves(games, answered)) {
        verdict.reversers[i] |= bit;
        verdict.reversed |= own_bit;
      }
    }
  }
  return verdict;
}

inline Verdict judge(int region, const Order& order) {
  switch (region) {
    case 1: return judge<1>(order);
    case 2: return judge<2>(order);
    case 3: return judge<3>(order);
    case 4: return judge<4>(order);
    default: return judge<5>(order);
  }
}

}  // namespace fingal
