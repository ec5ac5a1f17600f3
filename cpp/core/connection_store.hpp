// Where one colour's connections are kept: for every pair of ends, the carriers of its full and semi connections.
// What an update changes is written down first, so that it can be taken back exactly.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "geometry.hpp"

namespace fingal {

// Cells are ends 0 .. n-1; n and n + 1 are the colour's first and second edge.
template <int Words>
class ConnectionStore {
 public:
  using Set = Bits<Words>;

  struct List {
    std::uint32_t at = 0;  // where its carriers begin in the pool
    std::uint16_t count = 0;
    std::uint16_t room = 0;
    std::uint16_t done = 0;  // the first so many have been combined with others
  };
  struct Pair {
    List full;
    List semi;
    Set semi_meet;        // the cells that all semi connections share
    bool queued = false;  // the or-rule has been asked for
  };

  explicit ConnectionStore(int cells)
      : cells_(cells),
        ends_(cells + 2),
        pairs_(std::size_t(ends_ * ends_)),
        meet_(pairs_.size()),
        done_meet_(pairs_.size()),
        stamp_(pairs_.size()),
        linked_(std::size_t(ends_)),
        linked_edges_(std::size_t(ends_)) {}

  int cells() const { return cells_; }
  int ends() const { return ends_; }

  void clear(bool recording) {
    recording_ = recording;
    std::fill(pairs_.begin(), pairs_.end(), Pair{});
    std::fill(meet_.begin(), meet_.end(), everything());
    std::fill(done_meet_.begin(), done_meet_.end(), everything());
    std::fill(linked_.begin(), linked_.end(), Set{});
    std::fill(linked_edges_.begin(), linked_edges_.end(), std::uint8_t{0});
    pool_.clear();
    origins_.clear();
    log_.clear();
    levels_.clear();
  }

  static constexpr Set everything() {
    Set all;
    for (auto& word : all.word) word = ~std::uint64_t{0};
    return all;
  }

  const Pair& pair(int x, int y) const { return pairs_[index(x, y)]; }
  // The cells that all full connections of the pair share; everything when there is none.
  const Set& meet(int x, int y) const { return meet_[at(x, y)]; }
  // The same of those that have been combined.
  const Set& done_meet(int x, int y) const { return done_meet_[at(x, y)]; }
  // The cells and (as bits 0 and 1) edges to which `x` has full connections that have been combined.
  const Set& linked(int x) const { return linked_[std::size_t(x)]; }
  unsigned linked_edges(int x) const { return linked_edges_[std::size_t(x)]; }

  std::span<const Set> carriers(const List& list) const { return {pool_.data() + list.at, list.count}; }
  const Set& carrier(const List& list, int i) const { return pool_[list.at + std::size_t(i)]; }
  std::uint32_t origin(const List& list, int i) const { return recording_ ? origins_[list.at + std::size_t(i)] : 0; }
  bool recording() const { return recording_; }

  // The pair, to be changed: call sync() after a change of its full connections.
  Pair& change(int x, int y) {
    const auto i = index(x, y);
    auto& pair = pairs_[i];
    if (!levels_.empty() && stamp_[i] != levels_.back().stamp) {
      stamp_[i] = levels_.back().stamp;
      log_.push_back({std::uint32_t(i), pair, meet_[i], done_meet_[i]});
    }
    return pair;
  }

  void append(List& list, const Set& carrier, std::uint32_t origin) {
    if (list.count == list.room || is_old(list)) move_to_top(list, list.count + list.count / 2 + 2);
    write(list.at + list.count, carrier, origin);
    ++list.count;
  }

  // Keeps the order of those that stay.
  template <class Predicate>
  int remove_if(List& list, Predicate&& goes) {
    int first = 0;
    while (first < list.count && !goes(carrier(list, first))) ++first;
    if (first == list.count) return 0;
    if (is_old(list)) move_to_top(list, list.count);
    int kept = first;
    int done = std::min<int>(list.done, first);
    for (int i = first + 1; i < list.count; ++i) {
      if (goes(carrier(list, i))) continue;
      done += i < list.done;
      copy(list.at + std::uint32_t(i), list.at + std::uint32_t(kept++));
    }
    const int removed = list.count - kept;
    list.count = std::uint16_t(kept);
    list.done = std::uint16_t(done);
    return removed;
  }

  // Puts carrier `i` among those that are done.
  void finish(List& list, int i) {
    if (i != list.done) {
      if (is_old(list)) move_to_top(list, list.count);
      std::swap(pool_[list.at + std::size_t(i)], pool_[list.at + list.done]);
      if (recording_) std::swap(origins_[list.at + std::size_t(i)], origins_[list.at + list.done]);
    }
    ++list.done;
  }

  // Brings meets and links up to date with the pair's full connections.
  void sync(int x, int y) {
    const auto& list = pairs_[index(x, y)].full;
    Set all = everything();
    Set done = all;
    for (int i = 0; i < list.count; ++i) {
      all &= carrier(list, i);
      if (i + 1 == list.done) done = all;
    }
    set_meets(x, y, all, done, list.done > 0);
  }

  // Likewise with what its semi connections share.
  void sync_semis(Pair& pair) const {
    pair.semi_meet = everything();
    for (const auto& carrier : carriers(pair.semi)) pair.semi_meet &= carrier;
  }

  void begin_level() { levels_.push_back({++last_stamp_, log_.size(), pool_.size()}); }

  void undo_level() {
    const auto level = levels_.back();
    levels_.pop_back();
    while (log_.size() > level.log) {
      const auto& saved = log_.back();
      pairs_[saved.index] = saved.pair;
      const int x = int(saved.index) / ends_;
      const int y = int(saved.index) % ends_;
      set_meets(x, y, saved.meet, saved.done_meet, saved.pair.full.done > 0);
      log_.pop_back();
    }
    pool_.resize(level.pool);
    if (recording_) origins_.resize(level.pool);
  }

 private:
  struct Saved {
    std::uint32_t index;
    Pair pair;
    Set meet;
    Set done_meet;
  };
  struct Level {
    std::uint32_t stamp;
    std::size_t log;
    std::size_t pool;
  };

  std::size_t at(int x, int y) const { return std::size_t(x * ends_ + y); }
  std::size_t index(int x, int y) const { return x < y ? at(x, y) : at(y, x); }
  // An earlier level's carriers are never written over.
  bool is_old(const List& list) const { return !levels_.empty() && list.at < levels_.back().pool; }

  void move_to_top(List& list, int room) {
    const auto from = list.at;
    list.at = std::uint32_t(pool_.size());
    list.room = std::uint16_t(room);
    pool_.resize(pool_.size() + std::size_t(room));
    if (recording_) origins_.resize(pool_.size());
    for (std::uint32_t i = 0; i < list.count; ++i) copy(from + i, list.at + i);
  }
  void copy(std::uint32_t from, std::uint32_t to) {
    pool_[to] = pool_[from];
    if (recording_) origins_[to] = origins_[from];
  }
  void write(std::uint32_t to, const Set& carrier, std::uint32_t origin) {
    pool_[to] = carrier;
    if (recording_) origins_[to] = origin;
  }

  void set_meets(int x, int y, const Set& all, const Set& done, bool is_linked) {
    meet_[at(x, y)] = meet_[at(y, x)] = all;
    done_meet_[at(x, y)] = done_meet_[at(y, x)] = done;
    link(x, y, is_linked);
    link(y, x, is_linked);
  }
  void link(int x, int y, bool is_linked) {
    auto& cells = linked_[std::size_t(x)];
    auto& edges = linked_edges_[std::size_t(x)];
    if (y < cells_) {
      is_linked ? cells.set(y) : cells.reset(y);
    } else {
      const unsigned bit = 1u << (y - cells_);
      edges = std::uint8_t(is_linked ? edges | bit : edges & ~bit);
    }
  }

  int cells_;
  int ends_;
  bool recording_ = false;
  std::vector<Pair> pairs_;     // [x * ends + y] with x < y
  std::vector<Set> meet_;       // [x * ends + y], both ways, so that a row lies together
  std::vector<Set> done_meet_;  // likewise
  std::vector<std::uint32_t> stamp_;
  std::vector<Set> linked_;
  std::vector<std::uint8_t> linked_edges_;
  std::vector<Set> pool_;
  std::vector<std::uint32_t> origins_;  // beside the pool, when derivations are recorded
  std::vector<Saved> log_;
  std::vector<Level> levels_;
  std::uint32_t last_stamp_ = 0;
};

}  // namespace fingal
