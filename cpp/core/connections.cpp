#include "connections.hpp"

#include <algorithm>

#include "edge_templates.hpp"

namespace fingal {

template <int Words>
Connections<Words>::Connections(const Geometry<Words>& geometry, Colour colour, const ConnectionLimits& limits,
                                const TemplateTable<Words>* templates)
    : geometry_(&geometry),
      colour_(colour),
      limits_(limits),
      templates_(templates ? templates : &TemplateTable<Words>::shared(geometry, colour)),
      cells_(geometry.cells),
      end_of_(std::size_t(geometry.cells)),
      captured_(geometry, colour),
      store_(geometry.cells) {}

template <int Words>
void Connections<Words>::build(const Set& own, const Set& opponent) {
  own_ = own;
  opponent_ = opponent;
  empty_ = geometry_->all - (own | opponent);
  store_.clear(limits_.record);
  history_.clear();
  steps_.clear();
  // An exception may have left something in these.
  fresh_.clear();
  to_or_.clear();
  next_fresh_ = next_or_ = 0;
  for (int cell = 0; cell < cells_; ++cell) end_of_[std::size_t(cell)] = std::uint16_t(cell);
  find_groups();
  captured_.compute(own_, empty_);
  add_neighbours();
  search();
  // Only now: what the rules find by themselves is smaller.
  if (limits_.templates) add_templates();
  search();
}

// Names every group by an end that stood for one of its cells before, if possible by one with many connections.
template <int Words>
void Connections<Words>::find_groups() {
  auto left = own_;
  const auto take = [&](Set group) {
    for (;;) {
      const auto grown = geometry_->dilate(group) & left;
      if (grown == group) break;
      group = grown;
    }
    left = left - group;
    return group;
  };
  const auto name = [&](const Set& group, int end) {
    group.for_each([&](int cell) { end_of_[std::size_t(cell)] = std::uint16_t(end); });
  };
  for (int side = 0; side < 2; ++side) {
    const auto joined = take(geometry_->edge[colour_][std::size_t(side)] & left);
    name(joined, cells_ + side);
    if (side == 1 || !joined.intersects(geometry_->edge[colour_][1])) continue;
    if (limits_.record) found_ = {};
    add_full(cells_, cells_ + 1, Set{});
  }
  while (left.any()) {
    const auto group = take(Set::of(left.lowest()));
    int captain = group.lowest();
    int most = -1;
    group.for_each([&](int cell) {
      const int links = end_of(cell) == cell ? store_.linked(cell).count() : -1;
      if (links > most) captain = cell;
      most = std::max(most, links);
    });
    name(group, captain);
  }
}

// What touches is joined.
template <int Words>
void Connections<Words>::add_neighbours() {
  if (limits_.record) found_ = {};
  empty_.for_each([&](int cell) {
    const auto& here = geometry_->cell[std::size_t(cell)];
    here.neighbours.for_each([&](int other) {
      if (empty_.test(other) ? other > cell : own_.test(other)) add_full(cell, end_of(other), Set{});
    });
    for (int side = 0; side < 2; ++side) {
      if (here.touches[colour_] >> side & 1) add_full(cell, cells_ + side, Set{});
    }
  });
}

template <int Words>
void Connections<Words>::add_templates() {
  templates_->for_each(own_, opponent_, [&](const TemplatePlace<Words>& place) {
    const int end = end_of(place.end);
    const int other = place.other < cells_ ? end_of(place.other) : place.other;
    if (end == other) return;
    if (limits_.record) found_ = {.rule = ConnectionRule::kTemplate, .middle = place.index};
    add_full(end, other, place.carrier - own_);
  });
}

template <int Words>
void Connections<Words>::search() {
  const auto stop = [&] { return (limits_.stop_when_won && won()) || is_late(); };
  while (!stop()) {
    if (next_fresh_ < fresh_.size()) {
      const auto fresh = fresh_[next_fresh_++];
      combine(fresh);
    } else if (next_or_ < to_or_.size()) {
      const auto [x, y] = to_or_[next_or_++];
      or_rule(x, y);
    } else {
      break;
    }
  }
  for (; next_or_ < to_or_.size(); ++next_or_)
    store_.change(to_or_[next_or_].first, to_or_[next_or_].second).queued = false;
  fresh_.clear();
  to_or_.clear();
  next_fresh_ = next_or_ = 0;
}

template <int Words>
bool Connections<Words>::is_late() {
  constexpr std::uint32_t kStepsPerLook = 8;  // one takes microseconds, on large boards many
  if (cut_short_ || ++steps_since_look_ < kStepsPerLook) return cut_short_;
  steps_since_look_ = 0;
  return cut_short_ = std::chrono::steady_clock::now() >= deadline_;
}

// Joins a new full connection with all that continue it; false when a smaller one has taken its place.
template <int Words>
bool Connections<Words>::combine(const Fresh& fresh) {
  auto& list = store_.change(fresh.a, fresh.b).full;
  int i = list.done;
  while (i < list.count && store_.carrier(list, i) != fresh.carrier) ++i;
  if (i == list.count) return false;
  const auto origin = store_.origin(list, i);
  store_.finish(list, i);
  store_.sync(fresh.a, fresh.b);
  and_through(fresh.a, fresh.b, fresh.carrier, origin);
  and_through(fresh.b, fresh.a, fresh.carrier, origin);
  return true;
}

// The and-rule: x to the middle and the middle to y make x to y, full when the middle is a stone, semi when it is
// empty. Not over an edge: what both ends reach is no nearer to the other edge.
template <int Words>
void Connections<Words>::and_through(int x, int middle, Set carrier, std::uint32_t origin) {
  if (middle >= cells_) return;
  const bool stone = own_.test(middle);
  if (!stone) carrier.set(middle);
  auto ends = store_.linked(middle) - carrier;
  if (x < cells_) ends.reset(x);
  ends.for_each([&](int y) { and_at(x, middle, y, carrier, stone, origin); });
  for (int side = 0; side < 2; ++side) {
    const int y = cells_ + side;
    if (y != x && store_.linked_edges(middle) >> side & 1) and_at(x, middle, y, carrier, stone, origin);
  }
}

template <int Words>
void Connections<Words>::and_at(int x, int middle, int y, const Set& carrier, bool stone, std::uint32_t origin) {
  if (!stone && store_.meet(x, y).within(carrier)) return;
  const auto captured = [&] { return captured_.cells(x) | captured_.cells(middle) | captured_.cells(y); };
  const auto clash = store_.done_meet(middle, y) & carrier;
  if (clash.any() && !clash.within(captured())) return;
  const auto list = store_.pair(middle, y).full;
  for (int i = 0; i < list.done; ++i) {
    const auto& further = store_.carrier(list, i);
    if (x < cells_ && further.test(x)) continue;
    auto joined = carrier | further;
    const auto shared = carrier & further;
    if (limits_.record) {
      found_ = {.rule = ConnectionRule::kAnd, .middle = middle, .parents = {origin, store_.origin(list, i)}};
    }
    if (shared.any() && (!shared.within(captured()) || !cover(x, middle, y, shared, joined))) continue;
    if (stone) {
      add_full(x, y, joined);
    } else {
      add_semi(x, y, joined);
    }
  }
}

// Adds the captured pairs to a carrier that make it harmless that two connections share cells.
template <int Words>
bool Connections<Words>::cover(int x, int middle, int y, const Set& shared, Set& carrier) {
  auto left = shared;
  for (const int end : {x, middle, y}) {
    for (const auto& pair : captured_.pairs(end)) {
      const auto holds = [&](int cell) { return cell < cells_ && pair.test(cell); };  // edges are no cells
      if (!pair.intersects(left) || holds(x) || holds(middle) || holds(y)) continue;
      left = left - pair;
      carrier |= pair;
      if (limits_.record) found_.captured.emplace_back(end, pair);
    }
  }
  return !left.any();
}

// A full connection is kept unless it needs all that another one does.
template <int Words>
bool Connections<Words>::add_full(int x, int y, const Set& carrier, std::uint32_t origin) {
  const auto& known = store_.pair(x, y).full;
  bool shrinks = false;
  for (const auto& other : store_.carriers(known)) {
    if (other.within(carrier)) return false;
    shrinks |= carrier.within(other);
  }
  if (!shrinks && known.count >= limits_.fulls) return false;
  auto& pair = store_.change(x, y);
  if (shrinks) store_.remove_if(pair.full, [&](const Set& other) { return carrier.within(other); });
  store_.append(pair.full, carrier, origin || !limits_.record ? origin : note(x, y, carrier));
  store_.sync(x, y);
  fresh_.push_back({x, y, carrier});
  // A semi connection that needs all that every full one needs can only make full ones that change nothing.
  const auto& meet = store_.meet(x, y);
  if (store_.remove_if(pair.semi, [&](const Set& other) { return meet.within(other); })) store_.sync_semis(pair);
  return true;
}

template <int Words>
void Connections<Words>::add_semi(int x, int y, const Set& carrier, std::uint32_t origin) {
  if (store_.meet(x, y).within(carrier)) return;
  if (is_open(x) && is_open(y) && carrier.count() > limits_.between_cells) return;
  const auto& known = store_.pair(x, y);
  bool shrinks = false;
  for (const auto& other : store_.carriers(known.semi)) {
    if (other.within(carrier)) return;
    shrinks |= carrier.within(other);
  }
  if (!shrinks && known.semi.count >= limits_.semis) return;
  auto& pair = store_.change(x, y);
  if (shrinks) store_.remove_if(pair.semi, [&](const Set& other) { return carrier.within(other); });
  pair.semi_meet = pair.semi.count ? pair.semi_meet & carrier : carrier;
  store_.append(pair.semi, carrier, origin || !limits_.record ? origin : note(x, y, carrier));
  ask_or(x, y);
}

template <int Words>
void Connections<Words>::ask_or(int x, int y) {
  const auto& known = store_.pair(x, y);
  if (known.queued || known.semi.count == 0) return;
  if (!known.semi_meet.within(captured_.cells(x) | captured_.cells(y))) return;
  store_.change(x, y).queued = true;
  to_or_.emplace_back(x, y);
}

template <int Words>
Bits<Words> Connections<Words>::smallest_win() const {
  const auto wins = full(cells_, cells_ + 1);
  return *std::min_element(wins.begin(), wins.end(), [](const Set& a, const Set& b) { return a.count() < b.count(); });
}

template class Connections<1>;
template class Connections<2>;
template class Connections<3>;
template class Connections<4>;
template class Connections<5>;
template class Connections<6>;

}  // namespace fingal
