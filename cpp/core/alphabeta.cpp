#include "alphabeta.hpp"

#include <algorithm>
#include <optional>

#include "connections.hpp"
#include "inferior.hpp"
#include "resistance_wires.hpp"

namespace fingal {
namespace {

// Beyond every judgement. Wins that take longer count less, and losses that take longer are less bad.
constexpr double kWin = 2, kLater = 0.001;
constexpr double kProven = 1.5;

template <int Words>
class AlphaBeta {
 public:
  using Set = Bits<Words>;

  AlphaBeta(const Geometry<Words>& g, const AlphaBetaSettings& settings, const StopFlag& stop)
      : settings_(settings), stop_(&stop), circuit_(g) {
    if (!settings.connections) return;
    for (const auto colour : {kBlack, kWhite}) connections_[colour].emplace(g, colour, ConnectionLimits{});
  }

  AlphaBetaResult search(const Position<Words>& position) {
    const std::array<Set, 2> stones{position.stones(kBlack), position.stones(kWhite)};
    auto root = filled(position, stones);
    // A root needs a move, and one that is decided by fill-in alone would have none.
    if (root.position.over()) root = {position, stones, {}};
    for (const auto colour : {kBlack, kWhite}) {
      if (connections_[colour]) {
        connections_[colour]->build(root.position.stones(colour), root.position.stones(other(colour)));
      }
    }
    AlphaBetaResult result;
    const double value = best(root, settings_.depth, -2 * kWin, 2 * kWin, 0, result.line);
    result.value = std::clamp(value, -1.0, 1.0);
    result.proof = value > kProven ? 1 : value < -kProven ? -1 : 0;
    result.nodes = nodes_;
    return result;
  }

 private:
  // A position with its inferior cells filled in, which stay so below, and the moves that need not be tried there.
  struct Node {
    Position<Words> position;
    std::array<Set, 2> stones;  // without what was filled in
    Set pruned;
  };

  // What is proven of a position without playing on, and the moves that are left to try.
  struct Known {
    int proof = 0;  // 1: the side to move wins, -1: it loses
    Set moves;      // of a side that wins: those of which one wins; of one that loses: those that resist longest
  };

  Node filled(Position<Words> position, const std::array<Set, 2>& stones) const {
    if (!settings_.connections || position.over()) return {position, stones, {}};
    const auto inferior = compute_inferior(position, position.turn());
    for (const auto colour : {kBlack, kWhite}) {
      inferior.fill[colour].for_each([&](int cell) {
        if (!position.over()) position.place(cell, colour);
      });
    }
    return {position, stones, inferior.pruned};
  }

  // The value for the side to move, and in `line` the moves that lead to it; none at depth 0. When the search is
  // stopped, values below the root mean nothing and are not used.
  double best(const Node& node, int depth, double alpha, double beta, int ply, std::vector<int>& line) {
    ++nodes_;
    line.clear();
    if (ply > 0 && is_stopped()) return 0;
    const auto known = look(node);
    const double end = kWin - kLater * (ply + 1);
    if (depth == 0) return known.proof != 0 ? known.proof * end : judge(node);
    if (known.proof != 0 && ply > 0) return known.proof * end;
    const double estimate = judge(node);
    const auto moves = ordered(known.moves);
    if (known.proof != 0) {
      line.push_back(known.proof > 0 ? winning_move(node.position, moves) : moves.front());
      return known.proof * end;
    }
    double most = -2 * kWin;
    std::vector<int> below;
    for (std::size_t i = 0; i < moves.size() && i < std::size_t(settings_.width); ++i) {
      auto next = node.position;
      next.play(moves[i]);
      auto stones = node.stones;
      stones[node.position.turn()].set(moves[i]);
      const auto child = filled(next, stones);
      connect(node.position, child.position);
      const double value = -best(child, depth - 1, -beta, -std::max(alpha, most), ply + 1, below);
      disconnect();
      if (is_stopped()) {
        if (most >= -kProven) break;
        // Every move before this one loses, or there was none: its search was cut short, so it has not been refuted.
        line.assign(1, moves[i]);
        return estimate;
      }
      if (value <= most) continue;
      most = value;
      line.assign(1, moves[i]);
      line.insert(line.end(), below.begin(), below.end());
      if (most >= beta) break;
    }
    return most;
  }

  Known look(const Node& node) const {
    const auto& position = node.position;
    const auto turn = position.turn();
    if (position.over()) return {position.winner() == turn ? 1 : -1, position.empty()};
    const auto wins = position.winning_cells(turn);
    if (wins.any()) return {1, wins};
    const auto threats = position.winning_cells(other(turn));
    if (threats.count() > 1) return {-1, threats};
    auto moves = threats.any() ? threats : position.empty();
    if (!connections_[turn]) return {0, moves};
    const auto& own = *connections_[turn];
    const auto& opponent = *connections_[other(turn)];
    if (own.won()) return {1, own.smallest_win()};
    if (const auto semis = own.winning_semis(); !semis.empty()) {
      return {1, *std::min_element(semis.begin(), semis.end(),
                                   [](const Set& a, const Set& b) { return a.count() < b.count(); })};
    }
    if (opponent.won()) return {-1, opponent.smallest_win()};
    const auto must = must_play(opponent, moves);
    if (!must.any()) return {-1, moves};
    return (must - node.pruned).any() ? Known{0, must - node.pruned} : Known{-1, must};
  }

  // A move of a won position after which it is won by connection.
  int winning_move(const Position<Words>& position, const std::vector<int>& moves) {
    for (const int move : moves) {
      auto next = position;
      next.play(move);
      if (next.over() || !connections_[position.turn()]) return move;
      connect(position, next);
      const bool won = connections_[position.turn()]->won();
      disconnect();
      if (won) return move;
    }
    return moves.front();
  }

  void connect(const Position<Words>& from, const Position<Words>& to) {
    const std::array<Set, 2> added{to.stones(kBlack) - from.stones(kBlack), to.stones(kWhite) - from.stones(kWhite)};
    for (const auto colour : {kBlack, kWhite}) {
      if (connections_[colour]) connections_[colour]->update(added[colour], added[other(colour)]);
    }
  }

  void disconnect() {
    for (auto& connections : connections_) {
      if (connections) connections->undo();
    }
  }

  // The resistances' verdict for the side to move; the energies are kept for ordered(). What is filled in for a colour
  // is joined to its stones by wires, and lost to the opponent.
  double judge(const Node& node) {
    const auto& position = node.position;
    std::array<double, 2> conductance{};
    energy_.assign(std::size_t(position.geometry().cells), 0.0);
    for (const auto colour : {kBlack, kWhite}) {
      wires_.clear();
      if (connections_[colour]) add_wires(circuit_.geometry(), *connections_[colour], node.stones[colour], wires_);
      circuit_.measure(colour, node.stones[colour], position.stones(other(colour)), wires_);
      conductance[colour] = circuit_.conductance();
      const auto shares = circuit_.energy();
      for (std::size_t cell = 0; cell < energy_.size(); ++cell) energy_[cell] += shares[cell];
    }
    return resistance_value(conductance[position.turn()], conductance[other(position.turn())]);
  }

  // Those with the most energy of both colours first.
  std::vector<int> ordered(const Set& moves) const {
    std::vector<int> order;
    moves.for_each([&](int cell) { order.push_back(cell); });
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return energy_[std::size_t(a)] > energy_[std::size_t(b)]; });
    return order;
  }

  bool is_stopped() const { return stop_->is_set.load(std::memory_order_relaxed); }

  AlphaBetaSettings settings_;
  const StopFlag* stop_;
  Circuit<Words> circuit_;
  std::array<std::optional<Connections<Words>>, 2> connections_;
  std::vector<Wire> wires_;
  std::vector<double> energy_;
  std::int64_t nodes_ = 0;
};

void check(const char* what, int value) {
  if (value >= 1) return;
  throw std::invalid_argument("a " + std::string(what) + " of " + std::to_string(value) +
                              " is not possible: at least 1");
}

}  // namespace

AlphaBetaResult search_alphabeta(const Board& board, const AlphaBetaSettings& settings, const StopFlag& stop) {
  check("depth", settings.depth);
  check("width", settings.width);
  if (board.winner() != kNobody) throw std::invalid_argument("the game is over");
  return with_words(board.cells(), [&]<int Words>() {
    const auto position = position_of<Words>(board);
    return AlphaBeta<Words>(position.geometry(), settings, stop).search(position);
  });
}

}  // namespace fingal
