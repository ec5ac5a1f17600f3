// What a solver remembers of positions. The key is the position itself, so no two positions are ever taken for one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <istream>
#include <memory>
#include <mutex>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "position.hpp"

namespace fingal {

// A set of cells turned by 180 degrees: cell i becomes cell n - 1 - i.
template <int Words>
Bits<Words> turned(const Geometry<Words>& g, const Bits<Words>& set) {
  constexpr std::uint64_t kMask[3] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f};
  Bits<Words> result;
  for (std::size_t i = 0; i < Words; ++i) {
    auto w = set.word[i];
    for (int step = 0; step < 3; ++step) w = ((w >> (1 << step)) & kMask[step]) | ((w & kMask[step]) << (1 << step));
    result.word[Words - 1 - i] = __builtin_bswap64(w);
  }
  const int spare = 64 * Words - g.cells;
  return spare == 0 ? result : result.down(spare);
}

// How hard a position seems, in the view of its side to move: the least number of leaves that would have to be won
// (phi) or lost (delta) to decide it. phi 0: the side to move wins; delta 0: it loses.
struct Bounds {
  static constexpr std::uint32_t kInfinite = 1u << 30;
  std::uint32_t phi = 1;
  std::uint32_t delta = 1;

  bool won() const { return phi == 0; }
  bool lost() const { return delta == 0; }
  bool solved() const { return won() || lost(); }
  static Bounds win() { return {0, kInfinite}; }
  static Bounds loss() { return {kInfinite, 0}; }
};

constexpr std::size_t kOrdered = 28;  // moves of which a position remembers the order; the others follow by number

// A position that was looked at. All sets are of the cells as the caller sees the board.
template <int Words>
struct Entry {
  using Set = Bits<Words>;
  std::array<Set, 2> stones;  // with what was filled in
  Set moves;                  // left to try: the others lose
  // The cells that the opponent needs against the moves that are not left. In a solved position, those that the winner
  // needs: he wins even when all other empty cells are given to the loser.
  Set proof;
  Bounds bounds;
  std::uint32_t work = 0;  // positions looked at here and below
  std::int16_t best = -1;  // a winning move, where one is known
  std::uint16_t ordered = 0;
  std::array<std::int16_t, kOrdered> order{};  // the first `ordered` count
};

template <int Words>
class ProofTable {
 public:
  using Set = Bits<Words>;

  // As many positions as fit into `bytes`. Throws std::runtime_error when the machine does not give so much.
  ProofTable(const Geometry<Words>& g, std::size_t bytes) : geometry_(&g) {
    while (2 * buckets_ * sizeof(Bucket) <= bytes) buckets_ *= 2;
    // Zeroed memory costs nothing until it is touched, and zero is a free slot.
    slots_.reset(static_cast<Bucket*>(std::calloc(buckets_, sizeof(Bucket))));
    if (!slots_) {
      throw std::runtime_error("a table of " + std::to_string(this->bytes() >> 20) +
                               " MB cannot be had on this machine");
    }
  }

  std::size_t bytes() const { return buckets_ * sizeof(Bucket); }
  std::size_t capacity() const { return buckets_ * kWays; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }

  bool find(const Position<Words>& position, Entry<Words>& found) const {
    const auto key = key_of(position);
    const std::lock_guard lock(lock_of(key));
    for (const auto& slot : slots_[key.index].slot) {
      if (!slot.matches(key)) continue;
      found = slot.entry;
      if (key.turned) turn(found);
      return true;
    }
    return false;
  }

  void store(const Position<Words>& position, Entry<Words> entry) {
    const auto key = key_of(position);
    if (key.turned) turn(entry);
    put(key, entry);
  }

  // Everything in it, for the same program on the same kind of machine.
  void save(std::ostream& out) const {
    Header header = own_header();
    for_each_used([&](const Slot&) { ++header.count; });
    out.write(reinterpret_cast<const char*>(&header), sizeof(header));
    std::uint64_t sum = 0;
    for_each_used([&](const Slot& slot) {
      out.write(reinterpret_cast<const char*>(&slot), sizeof(slot));
      sum = summed(sum, slot);
    });
    out.write(reinterpret_cast<const char*>(&sum), sizeof(sum));
  }

  // Adds what save() wrote. Throws std::runtime_error, and has then added nothing, when it is something else.
  void load(std::istream& in) {
    const Header wanted = own_header();
    Header header{};
    in.read(reinterpret_cast<char*>(&header), sizeof(header));
    if (!in || header.magic != wanted.magic) throw std::runtime_error("this is not a table of solved positions");
    if (header.width != wanted.width || header.height != wanted.height) {
      throw std::runtime_error("its boards are " + std::to_string(header.width) + "x" + std::to_string(header.height) +
                               ", not " + std::to_string(wanted.width) + "x" + std::to_string(wanted.height));
    }
    if (header.slot_bytes != wanted.slot_bytes) throw std::runtime_error("another version of Fingal wrote it");
    std::vector<Slot> read;
    Slot slot;
    std::uint64_t sum = 0, said = 0;
    for (std::uint64_t i = 0; i < header.count && in.read(reinterpret_cast<char*>(&slot), sizeof(slot)); ++i) {
      sum = summed(sum, slot);
      read.push_back(slot);
      if (!is_possible(slot)) throw std::runtime_error("it is damaged");
    }
    in.read(reinterpret_cast<char*>(&said), sizeof(said));
    if (!in || sum != said) throw std::runtime_error("it is damaged");
    for (const auto& one : read) put({one.stones, one.state, false, index_of(one.stones, one.state)}, one.entry);
  }

 private:
  static constexpr std::size_t kWays = 4, kLocks = 256;

  struct Key {
    std::array<Set, 2> stones;
    std::uint32_t state;
    bool turned;
    std::size_t index;
  };

  struct Slot {
    static constexpr std::uint32_t kFree = 0;  // otherwise 1 + the colour to move
    std::array<Set, 2> stones;
    Entry<Words> entry;
    std::uint32_t state = kFree;

    bool matches(const Key& key) const { return state == key.state && stones == key.stones; }
    std::uint64_t weight() const { return state == kFree ? 0 : 1 + std::uint64_t(entry.work); }
  };

  struct Bucket {
    std::array<Slot, kWays> slot;
  };

  struct Free {
    void operator()(Bucket* slots) const { std::free(slots); }
  };

  struct Lock {
    std::atomic_flag taken;
    void lock() {
      while (taken.test_and_set(std::memory_order_acquire)) {
      }
    }
    void unlock() { taken.clear(std::memory_order_release); }
  };

  struct Header {
    std::uint64_t magic;
    std::uint32_t width, height, slot_bytes, spare;
    std::uint64_t count;
  };

  Header own_header() const {
    return {0x31656c626174u, std::uint32_t(geometry_->width), std::uint32_t(geometry_->height), sizeof(Slot), 0, 0};
  }

  static std::uint64_t summed(std::uint64_t sum, const Slot& slot) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(&slot);
    for (std::size_t i = 0; i < sizeof(slot); ++i) sum = (sum ^ bytes[i]) * 0x100000001b3;
    return sum;
  }

  // Whether a slot from outside holds cells of the board only, none of them twice.
  bool is_possible(const Slot& slot) const {
    const auto& entry = slot.entry;
    const auto taken = entry.stones[0] | entry.stones[1];
    const auto is_cell = [&](int cell) { return cell >= 0 && cell < geometry_->cells; };
    bool possible = (slot.state == 1 || slot.state == 2) && !entry.stones[0].intersects(entry.stones[1]) &&
                    !((taken | entry.moves | entry.proof) - geometry_->all).any() && !entry.moves.intersects(taken) &&
                    entry.bounds.phi <= Bounds::kInfinite && entry.bounds.delta <= Bounds::kInfinite &&
                    (entry.best == -1 || is_cell(entry.best)) && entry.ordered <= kOrdered;
    for (const auto colour : {kBlack, kWhite}) {
      possible = possible && !(slot.stones[colour] - entry.stones[colour]).any();
    }
    for (std::size_t i = 0; possible && i < entry.ordered; ++i) possible = is_cell(entry.order[i]);
    return possible;
  }

  template <class F>
  void for_each_used(F&& visit) const {
    for (std::size_t i = 0; i < buckets_; ++i) {
      for (const auto& slot : slots_[i].slot) {
        if (slot.state != Slot::kFree) visit(slot);
      }
    }
  }

  // What is cheapest to find again makes room.
  void put(const Key& key, const Entry<Words>& entry) {
    const std::lock_guard lock(lock_of(key));
    Slot* place = nullptr;
    for (auto& slot : slots_[key.index].slot) {
      if (slot.matches(key)) {
        // Another thread may have solved it in the meantime.
        if (slot.entry.bounds.solved() && !entry.bounds.solved()) return;
        place = &slot;
        break;
      }
      if (!place || slot.weight() < place->weight()) place = &slot;
    }
    if (place->state == Slot::kFree) used_.fetch_add(1, std::memory_order_relaxed);
    place->stones = key.stones;
    place->state = key.state;
    place->entry = entry;
  }

  // A position and its image turned by 180 degrees are one: the smaller of both is kept.
  Key key_of(const Position<Words>& position) const {
    const std::array<Set, 2> here{position.stones(kBlack), position.stones(kWhite)};
    const std::array<Set, 2> there{turned(*geometry_, here[0]), turned(*geometry_, here[1])};
    Key key;
    key.turned = there[0].word < here[0].word || (there[0] == here[0] && there[1].word < here[1].word);
    key.stones = key.turned ? there : here;
    key.state = 1u + position.turn();
    key.index = index_of(key.stones, key.state);
    return key;
  }

  std::size_t index_of(const std::array<Set, 2>& stones, std::uint32_t state) const {
    std::uint64_t hash = state;
    for (const auto& side : stones) {
      for (const auto w : side.word) {
        hash = (hash ^ w) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 32;
      }
    }
    return std::size_t(hash) & (buckets_ - 1);
  }

  void turn(Entry<Words>& entry) const {
    for (auto* set : {&entry.stones[0], &entry.stones[1], &entry.moves, &entry.proof}) {
      *set = turned(*geometry_, *set);
    }
    const int last = geometry_->cells - 1;
    if (entry.best >= 0) entry.best = std::int16_t(last - entry.best);
    for (std::size_t i = 0; i < entry.ordered; ++i) entry.order[i] = std::int16_t(last - entry.order[i]);
  }

  Lock& lock_of(const Key& key) const { return locks_[key.index % kLocks]; }

  const Geometry<Words>* geometry_;
  std::size_t buckets_ = 1;
  std::unique_ptr<Bucket[], Free> slots_;
  std::atomic<std::size_t> used_{0};
  mutable std::array<Lock, kLocks> locks_;
};

}  // namespace fingal
