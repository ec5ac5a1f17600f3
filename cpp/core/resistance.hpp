// The board as an electric circuit between a colour's two edges.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "board.hpp"

namespace fingal {

// A link besides those of the board, such as a virtual connection makes. Ends are cells, then `cells` and `cells + 1`
// for the colour's first and second edge.
struct Wire {
  int from;
  int to;
  double conductance;
};

// How much better a colour conducts than its opponent, in [-1, 1]: the difference of the conductances over their sum,
// which is the hyperbolic tangent of half the logarithm of the ratio of the resistances.
inline double resistance_value(double own, double opponent) {
  if (std::isinf(own)) return 1;
  if (std::isinf(opponent)) return -1;
  return (own - opponent) / (own + opponent);
}

// A colour's stones conduct without resistance, the opponent's not at all. An empty cell has resistance 1, half of it
// between its middle and each neighbour: 1 lies between two empty cells, 1/2 between an empty cell and a group of
// stones or an edge, however many of its stones touch the cell.
template <int Words>
class Circuit {
 public:
  using Set = Bits<Words>;

  explicit Circuit(const Geometry<Words>& g) : geometry_(&g), node_(std::size_t(g.cells) + 2), energy_(64 * Words) {}

  // Not checked: that the stones lie on the board and not on each other. Wires of dead ends and within a group count
  // for nothing.
  void measure(Colour colour, const Set& own, const Set& opponent, std::span<const Wire> wires = {}) {
    std::fill(energy_.begin(), energy_.end(), 0.0);
    const auto& edge = geometry_->edge[colour];
    const auto open = geometry_->all - opponent;
    const auto first = grown(edge[0] & own, own);
    if (first.intersects(edge[1])) {
      conductance_ = std::numeric_limits<double>::infinity();
      return;
    }
    live_ = grown(edge[0] & open, open);
    if (!live_.intersects(edge[1])) {
      conductance_ = 0;
      return;
    }
    live_ |= grown(edge[1] & open, open);
    const auto second = grown(edge[1] & own, own);
    number(own, first, second);
    assemble(colour, own, wires);
    solve();
    measure_links();
  }

  const Geometry<Words>& geometry() const { return *geometry_; }
  // Between the edges, at a voltage of 1: 0 when the opponent has cut them off, infinite when they are joined.
  double conductance() const { return conductance_; }
  // Which share of the whole circuit's energy each cell turns to heat; 0 on stones and when the game is over. The
  // resistance falls or rises by about this share of itself when the cell is taken or lost.
  std::span<const double> energy() const { return {energy_.data(), std::size_t(geometry_->cells)}; }

 private:
  static constexpr int kSource = -1, kSink = -2, kNowhere = -3;

  // A link between nodes; at most one of its ends is kSource or kSink unless a wire joins the edges themselves.
  struct Link {
    int from;
    int to;
    double conductance;
    int from_cell;  // the empty cells that its resistance lies in, or -1
    int to_cell;
  };

  Set grown(Set from, const Set& through) const {
    for (;;) {
      const auto next = geometry_->dilate(from) & through;
      if (next == from) return from;
      from = next;
    }
  }

  // Row by row, so that the matrix is narrow around its diagonal.
  void number(const Set& own, const Set& first, const Set& second) {
    std::fill(node_.begin(), node_.end(), kNowhere);
    nodes_ = 0;
    const auto cells = std::size_t(geometry_->cells);
    node_[cells] = kSource;
    node_[cells + 1] = kSink;
    first.for_each([&](int cell) { node_[std::size_t(cell)] = kSource; });
    second.for_each([&](int cell) { node_[std::size_t(cell)] = kSink; });
    (live_ - first - second).for_each([&](int cell) {
      if (node_[std::size_t(cell)] != kNowhere) return;
      if (own.test(cell)) {
        grown(Set::of(cell), own).for_each([&](int stone) { node_[std::size_t(stone)] = nodes_; });
      } else {
        node_[std::size_t(cell)] = nodes_;
      }
      ++nodes_;
    });
  }

  void assemble(Colour colour, const Set& own, std::span<const Wire> wires) {
    links_.clear();
    const auto empty = live_ - own;
    empty.for_each([&](int cell) {
      const auto& here = geometry_->cell[std::size_t(cell)];
      const int node = node_[std::size_t(cell)];
      (here.neighbours & empty).for_each([&](int next) {
        if (next > cell) links_.push_back({node, node_[std::size_t(next)], 1, cell, next});
      });
      // Groups and edges, each once. At most six touch a cell.
      std::array<int, 8> met{};
      std::size_t count = 0;
      const auto meet = [&](int other) {
        if (std::find(met.begin(), met.begin() + count, other) != met.begin() + count) return;
        met[count++] = other;
        links_.push_back({node, other, 2, cell, -1});
      };
      if (here.touches[colour] & 1) meet(kSource);
      if (here.touches[colour] & 2) meet(kSink);
      (here.neighbours & own).for_each([&](int stone) { meet(node_[std::size_t(stone)]); });
    });
    for (const auto& wire : wires) {
      const int from = node_[std::size_t(wire.from)], to = node_[std::size_t(wire.to)];
      if (from == to || from == kNowhere || to == kNowhere) continue;
      const auto cell_of = [&](int end) { return end < geometry_->cells && empty.test(end) ? end : -1; };
      links_.push_back({from, to, wire.conductance, cell_of(wire.from), cell_of(wire.to)});
    }
  }

  // Kirchhoff's laws for the nodes between the edges, by Cholesky's LDL' in place. The upper half alone is kept, and
  // of each row the part up to the last column that can hold anything.
  void solve() {
    const auto n = std::size_t(nodes_);
    matrix_.resize(n * n);
    voltage_.assign(n, 0.0);
    last_.resize(n);
    for (std::size_t k = 0; k < n; ++k) {
      std::fill(row(k) + k, row(k) + n, 0.0);
      last_[k] = k;
    }
    for (const auto& link : links_) {
      for (const int end : {link.from, link.to}) {
        if (end < 0) continue;
        row(std::size_t(end))[end] += link.conductance;
        if (link.from + link.to - end == kSource) voltage_[std::size_t(end)] += link.conductance;
      }
      if (link.from < 0 || link.to < 0) continue;
      const auto low = std::size_t(std::min(link.from, link.to)), high = std::size_t(std::max(link.from, link.to));
      row(low)[high] -= link.conductance;
      last_[low] = std::max(last_[low], high);
    }
    for (std::size_t k = 0; k < n; ++k) {
      const double* const top = row(k);
      const auto end = last_[k] + 1;
      for (std::size_t i = k + 1; i < end; ++i) {
        if (top[i] == 0) continue;
        const double factor = top[i] / top[k];
        double* const below = row(i);
        for (std::size_t j = i; j < end; ++j) below[j] -= factor * top[j];
        last_[i] = std::max(last_[i], last_[k]);
        voltage_[i] -= factor * voltage_[k];
      }
    }
    for (std::size_t k = n; k-- > 0;) {
      double sum = voltage_[k];
      for (auto j = k + 1; j <= last_[k]; ++j) sum -= row(k)[j] * voltage_[j];
      voltage_[k] = sum / row(k)[k];
    }
  }

  void measure_links() {
    const auto at = [&](int node) { return node == kSource ? 1.0 : node == kSink ? 0.0 : voltage_[std::size_t(node)]; };
    conductance_ = 0;
    for (const auto& link : links_) {
      const double drop = at(link.from) - at(link.to);
      const double current = drop * link.conductance;
      if (link.from == kSource) conductance_ += current;
      if (link.to == kSource) conductance_ -= current;
      const double heat = current * drop;
      const bool both = link.from_cell >= 0 && link.to_cell >= 0;
      for (const int cell : {link.from_cell, link.to_cell}) {
        if (cell >= 0) energy_[std::size_t(cell)] += both ? heat / 2 : heat;
      }
    }
    for (auto& share : energy_) share /= conductance_;
  }

  double* row(std::size_t k) { return matrix_.data() + k * std::size_t(nodes_); }

  const Geometry<Words>* geometry_;
  Set live_;
  int nodes_ = 0;
  double conductance_ = 0;
  std::vector<int> node_;  // of each cell and edge
  std::vector<Link> links_;
  std::vector<double> matrix_, voltage_, energy_;
  std::vector<std::size_t> last_;
};

// Conductances [2, b] and shares of energy [2, b, cells] of both colours, of positions with stones [2, b, words]; with
// `connections`, virtual connections are wires. Throws std::invalid_argument when stones lie on each other or off the
// board.
void measure_positions(int width, int height, bool connections, std::span<const std::uint64_t> stones,
                       std::span<double> conductance, std::span<double> energy);

// The wires that virtual connections make in a colour's circuit.
std::vector<Wire> connection_wires(const Board& board, Colour colour);

}  // namespace fingal
