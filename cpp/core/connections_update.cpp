// Stones added to a position whose connections are known: what they kill goes, what they shorten or join is carried
// over, and the search goes on from there.
#include <algorithm>

#include "connections.hpp"

namespace fingal {

template <int Words>
void Connections<Words>::update(const Set& own_added, const Set& opponent_added) {
  history_.push_back({own_, opponent_, end_of_, steps_.size()});
  store_.begin_level();
  const auto ends = live_ends();
  own_ |= own_added;
  opponent_ |= opponent_added;
  empty_ = geometry_->all - (own_ | opponent_);
  std::vector<std::pair<int, int>> weakened;
  if (opponent_added.any()) weakened = remove_killed(ends, opponent_added);
  if (own_added.any()) carry_over(ends, own_added);
  renew_captured(own_added);
  if (limits_.templates) add_templates();
  for (const auto& [x, y] : weakened) reopen(x, y);
  search();
}

template <int Words>
void Connections<Words>::undo() {
  store_.undo_level();
  own_ = history_.back().own;
  opponent_ = history_.back().opponent;
  end_of_ = std::move(history_.back().end_of);
  steps_.resize(history_.back().steps);
  history_.pop_back();
  empty_ = geometry_->all - (own_ | opponent_);
  captured_.compute(own_, empty_);
}

template <int Words>
std::vector<int> Connections<Words>::live_ends() const {
  std::vector<int> ends;
  (empty_ | own_).for_each([&](int cell) {
    if (end_of(cell) == cell) ends.push_back(cell);
  });
  ends.push_back(cells_);
  ends.push_back(cells_ + 1);
  return ends;
}

// Every connection that needs a cell of the opponent's, or ends in one. Returns the pairs that lost a full connection
// and now have cells that all of them need: what was not worth keeping may be so now.
template <int Words>
std::vector<std::pair<int, int>> Connections<Words>::remove_killed(const std::vector<int>& ends, const Set& added) {
  std::vector<std::pair<int, int>> weakened;
  const auto killed = [&](const Set& carrier) { return carrier.intersects(added); };
  const auto gone = [&](int end) { return end < cells_ && added.test(end); };
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t j = i + 1; j < ends.size(); ++j) {
      const int x = ends[i];
      const int y = ends[j];
      const auto& known = store_.pair(x, y);
      if (known.full.count == 0 && known.semi.count == 0) continue;
      if (gone(x) || gone(y)) {
        drop(x, y);
        continue;
      }
      const auto fulls = store_.carriers(known.full);
      const auto semis = store_.carriers(known.semi);
      const bool full_dies = std::any_of(fulls.begin(), fulls.end(), killed);
      const bool semi_dies = std::any_of(semis.begin(), semis.end(), killed);
      if (!full_dies && !semi_dies) continue;
      auto& pair = store_.change(x, y);
      if (semi_dies) {
        store_.remove_if(pair.semi, killed);
        store_.sync_semis(pair);
      }
      if (full_dies) {
        const auto before = store_.meet(x, y);
        store_.remove_if(pair.full, killed);
        store_.sync(x, y);
        if (store_.meet(x, y) != before) weakened.emplace_back(x, y);
      }
    }
  }
  return weakened;
}

// The owner's new stones leave every carrier; ends that they join are one end from now on.
template <int Words>
void Connections<Words>::carry_over(const std::vector<int>& ends, const Set& added) {
  find_groups();
  const auto now = [&](int end) { return end < cells_ ? end_of(end) : end; };
  const auto touched = [&](const Set& carrier) { return carrier.intersects(added); };
  struct Moved {
    int x;
    int y;
    Set carrier;
    std::uint32_t origin;
  };
  std::vector<Moved> fulls;
  std::vector<Moved> semis;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    for (std::size_t j = i + 1; j < ends.size(); ++j) {
      const int x = ends[i];
      const int y = ends[j];
      const auto& known = store_.pair(x, y);
      if (known.full.count == 0 && known.semi.count == 0) continue;
      const bool stays = now(x) == x && now(y) == y;
      const auto take = [&](const List& list, std::vector<Moved>& moved) {
        const auto before = moved.size();
        for (int k = 0; k < list.count; ++k) {
          const auto& carrier = store_.carrier(list, k);
          if (!stays || touched(carrier)) {
            moved.push_back({now(x), now(y), carrier - added, store_.origin(list, k)});
          }
        }
        return moved.size() != before;
      };
      const bool full_moves = take(known.full, fulls);
      const bool semi_moves = take(known.semi, semis);
      if (!stays) {
        drop(x, y);
        continue;
      }
      if (full_moves) {
        store_.remove_if(store_.change(x, y).full, touched);
        store_.sync(x, y);
      }
      if (semi_moves) {
        auto& pair = store_.change(x, y);
        store_.remove_if(pair.semi, touched);
        store_.sync_semis(pair);
      }
      // A cell that has become a stone joins what it kept apart.
      if ((x < cells_ && added.test(x)) || (y < cells_ && added.test(y))) renew(x, y);
    }
  }
  for (const auto& moved : fulls) {
    if (moved.x != moved.y) add_full(moved.x, moved.y, moved.carrier, moved.origin);
  }
  for (const auto& moved : semis) {
    if (moved.x != moved.y) add_semi(moved.x, moved.y, moved.carrier, moved.origin);
  }
}

// Where new stones let a cell capture more, its connections may share more.
template <int Words>
void Connections<Words>::renew_captured(const Set& added) {
  std::vector<Set> before;
  const auto near = geometry_->dilate(geometry_->dilate(added)) & empty_;
  near.for_each([&](int cell) { before.push_back(captured_.cells(cell)); });
  captured_.compute(own_, empty_);
  std::size_t i = 0;
  near.for_each([&](int cell) {
    if (captured_.cells(cell).within(before[i++])) return;
    for (const int other : live_ends()) {
      if (other == cell) continue;
      renew(cell, other);
      if (store_.pair(cell, other).semi.count) store_.change(cell, other).semi.done = 0;
      ask_or(cell, other);
    }
  });
}

template <int Words>
void Connections<Words>::drop(int x, int y) {
  store_.change(x, y) = {};
  store_.sync(x, y);
}

// Lets a pair's full connections be combined once more.
template <int Words>
void Connections<Words>::renew(int x, int y) {
  if (store_.pair(x, y).full.done == 0) return;
  auto& list = store_.change(x, y).full;
  for (int k = 0; k < list.done; ++k) fresh_.push_back({x, y, store_.carrier(list, k)});
  list.done = 0;
  store_.sync(x, y);
}

// Looks again for the connections between two ends.
template <int Words>
void Connections<Words>::reopen(int x, int y) {
  auto& pair = store_.change(x, y);
  pair.semi.done = 0;
  (store_.linked(x) & store_.linked(y)).for_each([&](int middle) {
    const bool stone = own_.test(middle);
    const auto list = store_.pair(x, middle).full;
    for (int k = 0; k < list.done; ++k) {
      auto carrier = store_.carrier(list, k);
      if (!stone) carrier.set(middle);
      if (y < cells_ && carrier.test(y)) continue;
      and_at(x, middle, y, carrier, stone, store_.origin(list, k));
    }
  });
  ask_or(x, y);
}

#define FINGAL_INSTANTIATE(W)                                           \
  template void Connections<W>::update(const Bits<W>&, const Bits<W>&); \
  template void Connections<W>::undo();
FINGAL_FOR_EACH_WORDS(FINGAL_INSTANTIATE)
#undef FINGAL_INSTANTIATE

}  // namespace fingal
