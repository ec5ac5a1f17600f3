#include "carrier_search.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace fingal {

namespace {

using Nodes = std::uint64_t;

constexpr Nodes kTerminals = CarrierGame::kFirst | CarrierGame::kSecond;

// Of the lowest cell; the set must not be empty.
std::size_t index(Nodes set) { return std::size_t(std::countr_zero(set)) & 63; }
Nodes lowest(Nodes set) { return set & (~set + 1); }

// Open cells with who touches whom; a cell that the owner takes is gone, and what it touched touches each other.
struct Graph {
  Nodes own = 0;
  Nodes open = 0;
  bool joined = false;
  std::array<Nodes, 64> touches;  // of open cells, terminals included

  void take(Nodes cell) {
    const auto near = touches[index(cell)];
    remove(cell);
    own |= cell;
    joined |= (near & kTerminals) == kTerminals;
    for (auto rest = near & open; rest; rest &= rest - 1) touches[index(rest)] |= near & ~lowest(rest);
  }
  void remove(Nodes cell) {
    open &= ~cell;
    for (auto rest = touches[index(cell)] & open; rest; rest &= rest - 1) touches[index(rest)] &= ~cell;
  }
  Nodes touching(Nodes terminal) const {
    Nodes found = 0;
    for (auto rest = open; rest; rest &= rest - 1) {
      if (touches[index(rest)] & terminal) found |= lowest(rest);
    }
    return found;
  }
  Nodes flood(Nodes from) const {
    auto reached = from;
    for (auto ring = from; ring;) {
      Nodes next = 0;
      for (; ring; ring &= ring - 1) next |= touches[index(ring)];
      ring = next & open & ~reached;
      reached |= ring;
    }
    return reached;
  }
  // No shortest way leads over a cell whose neighbours touch each other, so that it makes no difference.
  bool is_dead(Nodes cell) const {
    const auto near = touches[index(cell)];
    if (std::popcount(near) <= 1) return true;
    bool dead = (near & kTerminals) != kTerminals;
    for (auto rest = near & open; dead && rest; rest &= rest - 1) {
      dead = !(near & ~(touches[index(rest)] | lowest(rest)));
    }
    return dead;
  }
};

// Verdicts by position, which is the key itself. When it is as large as it may be, the smaller positions go.
class Table {
 public:
  struct Entry {
    Nodes own = 0;
    Nodes open = 0;
    bool owner_moves = false;
    bool used = false;
    CarrierVerdict verdict{};
  };

  const CarrierVerdict* find(const Graph& g, bool owner_moves) const {
    const auto at = hash(g.own, g.open, owner_moves);
    for (std::size_t i = 0; i < kNear; ++i) {
      const auto& entry = entries_[(at + i) & (entries_.size() - 1)];
      if (entry.used && entry.own == g.own && entry.open == g.open && entry.owner_moves == owner_moves) {
        return &entry.verdict;
      }
    }
    return nullptr;
  }

  void keep(const Graph& g, bool owner_moves, const CarrierVerdict& verdict) {
    if (++kept_ > entries_.size() / 2 && entries_.size() < kMost) {
      const auto before = std::move(entries_);
      entries_.assign(4 * before.size(), {});
      for (const auto& entry : before) {
        if (entry.used) place(entry) = entry;
      }
    }
    const Entry entry{g.own, g.open, owner_moves, true, verdict};
    place(entry) = entry;
  }

 private:
  static constexpr std::size_t kNear = 4;
  static constexpr std::size_t kMost = std::size_t{1} << 22;  // 168 MB

  static std::size_t hash(Nodes own, Nodes open, bool owner_moves) {
    auto mixed = (own * 0x9E3779B97F4A7C15u) ^ (open * 0xC2B2AE3D27D4EB4Fu) ^ Nodes { owner_moves };
    mixed = (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9u;
    return std::size_t(mixed ^ (mixed >> 32));
  }

  Entry& place(const Entry& entry) {
    const auto at = hash(entry.own, entry.open, entry.owner_moves);
    auto* best = &entries_[at & (entries_.size() - 1)];
    for (std::size_t i = 0; i < kNear && best->used; ++i) {
      auto& other = entries_[(at + i) & (entries_.size() - 1)];
      if (!other.used || std::popcount(other.open) < std::popcount(best->open)) best = &other;
    }
    return *best;
  }

  std::vector<Entry> entries_ = std::vector<Entry>(1 << 10);
  std::size_t kept_ = 0;
};

class Search {
 public:
  explicit Search(std::int64_t most) : left_(most) {}

  bool gave_up() const { return gave_up_; }

  CarrierVerdict solve(Graph g, bool owner_moves) {
    if (g.joined) return {true, 0};
    const auto from_first = g.flood(g.touching(CarrierGame::kFirst));
    const auto near_second = g.touching(CarrierGame::kSecond);
    if (!(from_first & near_second)) return {false, 0};
    const auto wins = g.touching(CarrierGame::kFirst) & near_second;
    if (wins && owner_moves) return {true, lowest(wins)};
    if (const auto rest = wins & (wins - 1)) return {true, lowest(wins) | lowest(rest)};
    if (left_ > 0 && --left_ == 0) gave_up_ = true;
    if (gave_up_) return {false, 0};
    if (!wins) remove_dead(g);
    if (const auto* known = table_.find(g, owner_moves)) return *known;
    const auto verdict = wins ? forced(g, wins) : expand(g, owner_moves);
    if (!gave_up_) table_.keep(g, owner_moves, verdict);
    return verdict;
  }

 private:
  static void remove_dead(Graph& g) {
    for (bool again = true; again;) {
      again = false;
      for (auto rest = g.open; rest; rest &= rest - 1) {
        if (!g.is_dead(lowest(rest))) continue;
        g.remove(lowest(rest));
        again = true;
      }
    }
  }

  // The opponent has to take the one cell with which the owner would win.
  CarrierVerdict forced(Graph g, Nodes cell) {
    g.remove(cell);
    const auto reply = solve(g, true);
    return {reply.holds, reply.needs | cell};
  }

  // The one who moves tries cells until one wins. When a cell fails, the other side's way of winning does not need it,
  // so only the cells that this way does need are left to try. Nor is a cell tried when all it touches is touched by
  // another: that one is at least as good for both. It then belongs to what the winner needs.
  CarrierVerdict expand(const Graph& g, bool owner_moves) {
    std::array<Nodes, 64> better;
    const auto worse = dominated(g, better);
    const auto far = distances(g);
    auto& rates = rates_[owner_moves];
    std::array<Nodes, 64> parts;
    std::size_t count = 0;
    for (auto left = g.open; left & ~worse;) {
      const auto move = best(left & ~worse, far, rates);
      auto after = g;
      owner_moves ? after.take(move) : after.remove(move);
      const auto reply = solve(after, !owner_moves);
      auto& rate = rates[index(move)];
      rate.tried += 1;
      if (reply.holds == owner_moves) {
        rate.won += 1;
        return {owner_moves, reply.needs | move};
      }
      if (gave_up_) return {false, 0};
      parts[count++] = reply.needs;
      left &= reply.needs & ~move;
    }
    auto needs = joined(g.open, parts, count, worse);
    for (auto rest = needs & worse; rest; rest &= rest - 1) needs |= better[index(rest)];
    return {!owner_moves, needs};
  }

  // The cells that touch no more than another does, which is written to `better` and is itself none of them.
  static Nodes dominated(const Graph& g, std::array<Nodes, 64>& better) {
    Nodes worse = 0;
    for (auto rest = g.open; rest; rest &= rest - 1) {
      const auto cell = lowest(rest);
      const auto near = g.touches[index(cell)];
      auto others = g.open & ~worse & ~cell;
      for (auto by = near & g.open; by; by &= by - 1) others &= g.touches[index(by)] | lowest(by);
      for (; others; others &= others - 1) {
        if (near & ~(g.touches[index(others)] | lowest(others))) continue;
        worse |= cell;
        better[index(cell)] = lowest(others);
        break;
      }
    }
    for (auto rest = worse; rest; rest &= rest - 1) {
      auto& other = better[index(rest)];
      while (other & worse) other = better[index(other)];
    }
    return worse;
  }

  // The union of the ways of winning against each cell, without those that the others make needless.
  static Nodes joined(Nodes open, const std::array<Nodes, 64>& parts, std::size_t count, Nodes worse) {
    std::array<bool, 64> dropped{};
    for (bool again = true; again;) {
      again = false;
      std::size_t largest = count;
      for (std::size_t i = 0; i < count; ++i) {
        auto meet = open & ~worse;
        for (std::size_t j = 0; j < count; ++j) meet &= j == i || dropped[j] ? ~Nodes{0} : parts[j];
        if (dropped[i] || meet) continue;
        if (largest == count || std::popcount(parts[i]) > std::popcount(parts[largest])) largest = i;
      }
      if (largest < count) dropped[largest] = again = true;
    }
    Nodes all = 0;
    for (std::size_t i = 0; i < count; ++i) all |= dropped[i] ? 0 : parts[i];
    return all;
  }

  // By cell, the sum of its two-distances (van Rijswijck) from both terminals: how far when the opponent takes the best
  // way on at every step. A matter of order only.
  static std::array<std::uint8_t, 64> distances(const Graph& g) {
    constexpr std::uint8_t kNever = 32;
    std::array<std::uint8_t, 64> far{};
    for (const auto terminal : {CarrierGame::kFirst, CarrierGame::kSecond}) {
      auto ring = g.touching(terminal);
      auto reached = ring;
      Nodes once = 0;
      for (std::uint8_t distance = 1; ring; ++distance) {
        Nodes twice = 0;
        for (auto rest = ring; rest; rest &= rest - 1) {
          far[index(rest)] = std::uint8_t(far[index(rest)] + distance);
          twice |= once & g.touches[index(rest)];
          once |= g.touches[index(rest)];
        }
        ring = twice & g.open & ~reached;
        reached |= ring;
      }
      for (auto rest = g.open & ~reached; rest; rest &= rest - 1) {
        far[index(rest)] = std::uint8_t(far[index(rest)] + kNever);
      }
    }
    return far;
  }

  struct Rate {
    double won = 0;
    double tried = 0;
  };

  // Near both terminals, and often right before.
  static Nodes best(Nodes cells, const std::array<std::uint8_t, 64>& far, const std::array<Rate, 64>& rates) {
    Nodes result = 0;
    double least = 0;
    for (auto rest = cells; rest; rest &= rest - 1) {
      const auto i = index(rest);
      const auto score = far[i] - (rates[i].won + 1) / (rates[i].tried + 2);
      if (result == 0 || score < least) result = lowest(rest), least = score;
    }
    return result;
  }

  Table table_;
  std::array<std::array<Rate, 64>, 2> rates_{};
  std::int64_t left_;
  bool gave_up_ = false;
};

}  // namespace

std::optional<CarrierVerdict> CarrierGame::search(bool owner_first, std::int64_t most) const {
  Graph graph;
  graph.joined = joined;
  graph.open = (Nodes{1} << touches.size()) - 1;
  std::copy(touches.begin(), touches.end(), graph.touches.begin());
  Search search(most);
  const auto verdict = search.solve(graph, owner_first);
  if (search.gave_up()) return std::nullopt;
  return verdict;
}

}  // namespace fingal
