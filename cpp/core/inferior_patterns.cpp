#include "inferior_patterns.hpp"

#include <algorithm>
#include <bit>
#include <deque>
#include <stdexcept>
#include <unordered_map>

#include "inferior_games.hpp"

namespace fingal {

const std::array<Step, kBall> kBallSteps = {{{-2, 0},
                                             {-2, 1},
                                             {-2, 2},
                                             {-1, -1},
                                             {-1, 0},
                                             {-1, 1},
                                             {-1, 2},
                                             {0, -2},
                                             {0, -1},
                                             {0, 0},
                                             {0, 1},
                                             {0, 2},
                                             {1, -2},
                                             {1, -1},
                                             {1, 0},
                                             {1, 1},
                                             {2, -2},
                                             {2, -1},
                                             {2, 0}}};

namespace {

using Steps = std::vector<Step>;

constexpr std::array<Step, 6> kNeighbours = {{{0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}, {1, 0}}};

Step turned(Step s) { return {-s.right, s.right + s.down}; }  // by 60 degrees

bool touch(Step a, Step b) {
  return std::find(kNeighbours.begin(), kNeighbours.end(), Step{b.down - a.down, b.right - a.right}) !=
         kNeighbours.end();
}

Steps ring_of(const Steps& region) {
  Steps ring;
  for (const auto& step : kBallSteps) {
    const auto near = [&](const Step& cell) { return touch(cell, step); };
    if (std::find(region.begin(), region.end(), step) == region.end() &&
        std::any_of(region.begin(), region.end(), near)) {
      ring.push_back(step);
    }
  }
  return ring;
}

int power_of_3(int exponent) { return exponent == 0 ? 1 : 3 * power_of_3(exponent - 1); }

// A region to derive patterns of. Where it has a wall, that part of its ring is all Black's or all White's.
struct Shape {
  Steps region;
  Steps wall;

  // The ring with the first cell of the wall standing for all of it.
  Steps digits() const {
    Steps result;
    for (const auto& step : ring_of(region)) {
      if (std::find(wall.begin(), wall.end(), step) == wall.end()) result.push_back(step);
    }
    if (!wall.empty()) result.push_back(wall.front());
    return result;
  }
};

// Region and ring as a graph: ring cells first, in the order of the digits, then the rest of the wall, then the region.
class Surroundings {
 public:
  explicit Surroundings(const Shape& shape) : digits_(int(shape.digits().size())), region_(int(shape.region.size())) {
    Steps all = shape.digits();
    if (!shape.wall.empty()) all.insert(all.end(), shape.wall.begin() + 1, shape.wall.end());
    ring_ = int(all.size());
    all.insert(all.end(), shape.region.begin(), shape.region.end());
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = 0; b < all.size(); ++b) neighbours_[a] |= std::uint32_t(touch(all[a], all[b])) << b;
    }
  }

  int digits() const { return digits_; }

  // The order of the fillings in a ring of which nothing is empty.
  Order order(std::uint32_t black_digits) const {
    const bool black_wall = black_digits >> (digits_ - 1) & 1;
    const auto ring = (1u << ring_) - 1;
    const auto black_ring = black_digits | (black_wall ? ring & ~((1u << digits_) - 1) : 0);
    const auto fillings = std::size_t{1} << region_;
    std::array<Joined, kMaxFillings> black, white;
    for (std::uint32_t filling = 0; filling < fillings; ++filling) {
      black[filling] = join(black_ring | filling << ring_);
      white[filling] = join((ring & ~black_ring) | (std::uint32_t(fillings - 1) & ~filling) << ring_);
    }
    Order order{};
    for (std::size_t first = 0; first < fillings; ++first) {
      for (std::size_t second = 0; second < fillings; ++second) {
        const bool holds = covers(black[first], black[second]) || covers(white[second], white[first]);
        order[first] |= std::uint32_t(holds) << second;
      }
    }
    return order;
  }

 private:
  // By ring cell: the ring cells joined to it, itself included; none where there is no stone.
  using Joined = std::array<std::uint16_t, 16>;

  Joined join(std::uint32_t stones) const {
    Joined result{};
    for (auto left = stones; left;) {
      std::uint32_t group = left & -left;
      for (std::uint32_t todo = group; todo;) {
        const auto found = neighbours_[std::size_t(std::countr_zero(todo))] & stones & ~group;
        group |= found;
        todo = (todo & (todo - 1)) | found;
      }
      left &= ~group;
      const auto on_ring = group & ((1u << ring_) - 1);
      for (auto cells = on_ring; cells; cells &= cells - 1) {
        result[std::size_t(std::countr_zero(cells))] = std::uint16_t(on_ring);
      }
    }
    return result;
  }

  // Whether every two ring cells that `fewer` joins are joined by `more` too.
  static bool covers(const Joined& more, const Joined& fewer) {
    unsigned missing = 0;
    for (std::size_t i = 0; i < more.size(); ++i) missing |= fewer[i] & ~unsigned(more[i]);
    return missing == 0;
  }

  int digits_;
  int ring_ = 0;
  int region_;
  std::array<std::uint32_t, 24> neighbours_{};
};

struct OrderHash {
  std::size_t operator()(const Order& order) const {
    std::uint64_t hash = 0;
    for (const auto row : order) hash = (hash ^ row) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return std::size_t(hash);
  }
};

// The verdicts on a region in each of its rings.
struct Table {
  std::vector<std::uint8_t> verdict_of;  // a byte each, for the sake of the cache: there are about 200 verdicts
  std::vector<Verdict> verdicts{Verdict{}};
  int fewest = kBall;

  explicit Table(const Shape& shape) : region_(int(shape.region.size())) {
    const Surroundings around(shape);
    const int rings = power_of_3(around.digits());
    const int wall = shape.wall.empty() ? 0 : int(shape.wall.size()) - 1;  // stones that have no digit
    verdict_of.resize(std::size_t(rings));
    std::vector<std::uint16_t> order_of(static_cast<std::size_t>(rings));
    // An empty ring cell stands for both colours, whose rings have larger numbers: they are there already.
    for (int ring = rings - 1; ring >= 0; --ring) {
      std::uint32_t black = 0;
      int empty = 0, stones = wall;
      for (int cell = 0, rest = ring, power = 1; cell < around.digits(); ++cell, rest /= 3, power *= 3) {
        if (rest % 3 == 0) empty = power;
        if (rest % 3 == 1) black |= 1u << cell;
        stones += rest % 3 != 0;
      }
      const auto order = empty ? both(order_of[std::size_t(ring + empty)], order_of[std::size_t(ring + 2 * empty)])
                               : number_of(around.order(black));
      order_of[std::size_t(ring)] = order;
      verdict_of[std::size_t(ring)] = judged_[order];
      if (judged_[order]) fewest = std::min(fewest, stones);
    }
  }

 private:
  // The order of what holds in both of two.
  std::uint16_t both(std::uint16_t a, std::uint16_t b) {
    const auto [entry, is_new] = both_.try_emplace(std::uint32_t(a) << 16 | b, 0);
    if (is_new) {
      Order order;
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = orders_[a][i] & orders_[b][i];
      entry->second = number_of(order);
    }
    return entry->second;
  }

  std::uint16_t number_of(const Order& order) {
    const auto [entry, is_new] = known_.try_emplace(order, std::uint16_t(orders_.size()));
    if (is_new) {
      orders_.push_back(order);
      judged_.push_back(number_of(judge(region_, order)));
    }
    return entry->second;
  }

  std::uint8_t number_of(const Verdict& verdict) {
    const auto found = std::find(verdicts.begin(), verdicts.end(), verdict);
    const auto number = std::uint8_t(found - verdicts.begin());
    if (found == verdicts.end()) verdicts.push_back(verdict);
    if (verdicts.size() > 256) throw std::logic_error("a region has more verdicts than a byte can count");
    return number;
  }

  int region_;
  std::vector<Order> orders_;
  std::vector<std::uint8_t> judged_;  // by order: its verdict
  std::unordered_map<Order, std::uint16_t, OrderHash> known_;
  std::unordered_map<std::uint32_t, std::uint16_t> both_;
};

std::uint32_t ball_bit(Step step) {
  return std::uint32_t(std::find(kBallSteps.begin(), kBallSteps.end(), step) - kBallSteps.begin());
}

Placement place(int number, const Shape& shape, const Steps& ring, const Table& table) {
  Placement placement{};
  placement.shape = number;
  placement.size = int(shape.region.size());
  for (std::size_t i = 0; i < shape.region.size(); ++i) {
    placement.cells[i] = std::uint8_t(ball_bit(shape.region[i]));
    placement.region |= 1u << placement.cells[i];
  }
  for (const auto& step : shape.wall) placement.wall |= 1u << ball_bit(step);
  for (const auto& step : ring_of(shape.region)) placement.ring_cells |= 1u << ball_bit(step);
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const auto bit = ball_bit(ring[i]);
    auto& half = placement.digits[bit / 10];
    for (std::uint32_t mask = 0; mask < half.size(); ++mask) {
      if (mask >> bit % 10 & 1) half[mask] += std::uint32_t(power_of_3(int(i)));
    }
  }
  placement.fewest = table.fewest;
  placement.verdict_of = table.verdict_of.data();
  placement.verdicts = table.verdicts.data();
  return placement;
}

// The same cells, moved so that the topmost, leftmost one is at the origin: equal for equal shapes in equal directions.
Steps normalised(Steps region) {
  const auto before = [](Step a, Step b) { return a.down != b.down ? a.down < b.down : a.right < b.right; };
  std::sort(region.begin(), region.end(), before);
  const auto origin = region.front();
  for (auto& cell : region) cell = {cell.down - origin.down, cell.right - origin.right};
  return region;
}

std::vector<Placement> derive() {
  // Each region with its ring lies in the ball. Turned by 60 degrees five times it takes all its directions.
  static const std::vector<Shape> shapes = {
      {{{0, 0}}, {}},                            // one cell
      {{{0, 0}, {0, 1}}, {}},                    // two that touch
      {{{0, 0}, {0, 1}, {-1, 1}}, {}},           // three in a triangle
      {{{0, -1}, {0, 0}, {0, 1}}, {}},           // three in a line
      {{{0, 1}, {0, 0}, {-1, 0}}, {}},           // three in a bend
      {{{0, 0}, {0, 1}, {-1, 1}, {-1, 0}}, {}},  // four in a rhombus
      // Three along a wall, two above them.
      {{{0, -1}, {0, 0}, {0, 1}, {-1, 0}, {-1, 1}}, {{1, -2}, {1, -1}, {1, 0}, {1, 1}}},
  };
  static std::deque<Table> tables;
  std::vector<Placement> result;
  for (std::size_t number = 0; number < shapes.size(); ++number) {
    auto shape = shapes[number];
    auto ring = shape.digits();
    const auto& table = tables.emplace_back(shape);
    std::vector<Steps> seen;
    for (int turn = 0; turn < 6; ++turn) {
      if (std::find(seen.begin(), seen.end(), normalised(shape.region)) == seen.end()) {
        seen.push_back(normalised(shape.region));
        result.push_back(place(int(number), shape, ring, table));
      }
      for (auto* steps : {&shape.region, &shape.wall, &ring}) {
        for (auto& step : *steps) step = turned(step);
      }
    }
  }
  return result;
}

}  // namespace

const std::vector<Placement>& placements() {
  static const std::vector<Placement> derived = derive();
  return derived;
}

}  // namespace fingal
