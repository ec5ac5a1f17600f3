// Bitsets against std::set, on every number of words that a board can need.
#include "core/bits.hpp"

#include <set>

#include "check.hpp"
#include "core/random.hpp"

using namespace fingal;

namespace {

template <int Words>
void compare_with_set() {
  Random random(Words);
  for (int round = 0; round < 200; ++round) {
    std::set<int> expected;
    Bits<Words> bits;
    for (int i = random.below(64 * Words); i > 0; --i) {
      const int bit = random.below(64 * Words);
      if (random.below(3) == 0) {
        bits.reset(bit);
        expected.erase(bit);
      } else {
        bits.set(bit);
        expected.insert(bit);
      }
    }
    CHECK(bits.count() == int(expected.size()));
    CHECK(bits.any() == !expected.empty());
    std::set<int> seen;
    bits.for_each([&](int bit) { seen.insert(bit); });
    CHECK(seen == expected);
    int rank = 0;
    for (const int bit : expected) CHECK(bits.select(rank++) == bit);
    if (!expected.empty()) CHECK(bits.lowest() == *expected.begin());
    for (const int by : {1, 5, 19, 63}) {
      std::set<int> up, down;
      for (const int bit : expected) {
        if (bit + by < 64 * Words) up.insert(bit + by);
        if (bit - by >= 0) down.insert(bit - by);
      }
      std::set<int> seen_up, seen_down;
      bits.up(by).for_each([&](int bit) { seen_up.insert(bit); });
      bits.down(by).for_each([&](int bit) { seen_down.insert(bit); });
      CHECK(seen_up == up);
      CHECK(seen_down == down);
    }
  }
}

}  // namespace

int main() {
  compare_with_set<1>();
  compare_with_set<2>();
  compare_with_set<3>();
  compare_with_set<4>();
  compare_with_set<5>();
  compare_with_set<6>();
  CHECK(words_for(1) == 1 && words_for(64) == 1 && words_for(65) == 2 && words_for(kMaxCells) == 6);
  return verdict();
}
