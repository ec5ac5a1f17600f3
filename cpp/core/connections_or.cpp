// The or-rule: semi connections of one pair that share no cell make a full one, for whatever the opponent takes, one of
// them is left. Cells that an end's stone captures may be shared.
#include <algorithm>

#include "connections.hpp"

namespace fingal {

namespace {

// A small union of semi connections whose common cells lie within `harmless`, as all of theirs do.
// Smallest first, then without those that the later ones have made needless.
template <int Words>
Bits<Words> join(const std::vector<const Bits<Words>*>& semis, const Bits<Words>& harmless,
                 std::vector<const Bits<Words>*>& used) {
  used.clear();
  auto meet = ConnectionStore<Words>::everything();
  for (const auto* semi : semis) {
    if (meet.within(*semi)) continue;
    meet &= *semi;
    used.push_back(semi);
    if (meet.within(harmless)) break;
  }
  for (std::size_t i = 0; i + 1 < used.size();) {
    auto without = ConnectionStore<Words>::everything();
    for (std::size_t j = 0; j < used.size(); ++j) {
      if (j != i) without &= *used[j];
    }
    if (without.within(harmless)) {
      used.erase(used.begin() + std::ptrdiff_t(i));
    } else {
      ++i;
    }
  }
  Bits<Words> all;
  for (const auto* semi : used) all |= *semi;
  return all;
}

}  // namespace

// The pair's semi connections, the smallest first.
template <int Words>
void Connections<Words>::sort_semis(const List& list) {
  auto& [order, semis, origins, usable, used] = or_;
  order.clear();
  semis.clear();
  origins.clear();
  for (int i = 0; i < list.count; ++i) order.emplace_back(store_.carrier(list, i).count(), i);
  std::sort(order.begin(), order.end());
  for (const auto& [size, i] : order) {
    semis.push_back(store_.carrier(list, i));
    if (limits_.record) origins.push_back(store_.origin(list, i));
  }
}

// For every cell that all full connections need so far, a full one without it, as far as the semi connections allow.
template <int Words>
void Connections<Words>::or_rule(int x, int y) {
  auto& pair = store_.change(x, y);
  pair.queued = false;
  auto fresh_meet = Store::everything();
  for (int i = pair.semi.done; i < pair.semi.count; ++i) fresh_meet &= store_.carrier(pair.semi, i);
  pair.semi.done = pair.semi.count;
  sort_semis(pair.semi);
  const auto try_without = [&](int avoided) {
    auto& [order, semis, origins, usable, used] = or_;
    const auto fits = [&](const Set& semi) { return avoided < 0 || !semi.test(avoided); };
    auto meet = Store::everything();
    for (const auto& semi : semis) {
      if (fits(semi)) meet &= semi;
    }
    Set harmless;
    if (limits_.record) found_ = {.rule = ConnectionRule::kOr};
    if (meet.any() && (!meet.within(captured_.cells(x) | captured_.cells(y)) || !cover(x, x, y, meet, harmless))) {
      return false;
    }
    if (avoided >= 0 && harmless.test(avoided)) return false;
    usable.clear();
    for (const auto& semi : semis) {
      if (fits(semi)) usable.push_back(&semi);
    }
    const auto joined = join(usable, harmless, used) | harmless;
    for (std::size_t i = 0; limits_.record && i < used.size(); ++i) {
      found_.parents.push_back(origins[std::size_t(used[i] - semis.data())]);
    }
    return add_full(x, y, joined);
  };

  if (pair.full.count == 0 && !try_without(-1)) return;
  // What all new semi connections need was needed before.
  auto needed = store_.meet(x, y) - fresh_meet;
  while (needed.any()) {
    const int cell = needed.lowest();
    needed.reset(cell);
    if (try_without(cell)) needed &= store_.meet(x, y);
  }
}

template void Connections<1>::or_rule(int, int);
template void Connections<2>::or_rule(int, int);
template void Connections<3>::or_rule(int, int);
template void Connections<4>::or_rule(int, int);
template void Connections<5>::or_rule(int, int);
template void Connections<6>::or_rule(int, int);

}  // namespace fingal
