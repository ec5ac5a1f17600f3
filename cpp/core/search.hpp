// One game's search: a tree, the position at its root, and the way down. It never calls a net: it hands out the
// positions that need judging and takes the judgements in.
#pragma once

#include <algorithm>
#include <memory>

#include "node_knowledge.hpp"
#include "root.hpp"
#include "selection.hpp"

namespace fingal {

template <int Words>
class Search {
 public:
  enum class Step {
    kLeaf,       // a position to judge, then finish()
    kResolved,   // the visit ended in something proven
    kCollision,  // every way led to a position that is being judged: judge first
  };

  struct Leaf {
    std::int32_t node = 0;
    Position<Words> position;
    Move last = -1;
  };

  Search(const Position<Words>& root, Move last, const SearchSettings& settings, std::uint64_t seed)
      : settings_(settings), root_(root), last_(last), random_(seed) {
    choice_.make_room(std::size_t(root.geometry().cells));
    restart();
  }

  const Tree& tree() const { return tree_; }
  const Position<Words>& root() const { return root_; }
  Random& random() { return random_; }
  bool expanded() const { return tree_.edge_count[0] > 0; }
  bool proven() const { return tree_.proof[0] != kUnknown; }
  // Whether the next simulation is the first after a halving, so that its choice drops moves for good.
  bool halves_next() const { return expanded() && choice_.halves_at(started_); }
  int started() const { return started_; }  // simulations begun at this root, the root's own judging not counted

  // A new root position, an empty tree.
  void set_root(const Position<Words>& root, Move last) {
    root_ = root;
    last_ = last;
    restart();
  }

  // The same, and nothing is left of what an exception may have left half done.
  void begin_anew(const Position<Words>& root, Move last) {
    knowledge_.reset();
    set_root(root, last);
  }

  // Prepares the root for a search of `simulations` (Gumbel's schedule needs their number).
  void prepare(int simulations, const SearchSettings& settings) {
    settings_ = settings;
    started_ = 0;
    planned_ = simulations;
    if (expanded()) choice_.begin(tree_, settings_, planned_, random_);
  }

  // Plays a move at the root and keeps the tree below it. No visit may be under way.
  void advance(Move move) {
    std::int32_t edge = Tree::kNowhere;
    for (auto e = tree_.first_edge[0]; e < tree_.first_edge[0] + tree_.edge_count[0]; ++e) {
      if (tree_.move[std::size_t(e)] == move) edge = e;
    }
    root_.play(move);
    last_ = move;
    started_ = 0;
    if (edge == Tree::kNowhere || tree_.child[std::size_t(edge)] == Tree::kNowhere) {
      restart();
    } else {
      tree_.move_root(edge);
      open_root();
      if (expanded()) choice_.set(tree_);
    }
  }

  // Plays a move at the root and keeps of the tree only what the net said of the position after it.
  void advance_fresh(Move move) {
    auto node = Tree::kNowhere;
    for (auto e = tree_.first_edge[0]; e < tree_.first_edge[0] + tree_.edge_count[0]; ++e) {
      if (tree_.move[std::size_t(e)] == move) node = tree_.child[std::size_t(e)];
    }
    root_.play(move);
    last_ = move;
    std::array<Move, kCells> moves;
    std::array<float, kCells> logits;
    std::size_t count = 0;
    float value = 0;
    if (node != Tree::kNowhere) {
      const auto n = std::size_t(node);
      const auto first = std::size_t(tree_.first_edge[n]);
      count = std::size_t(tree_.edge_count[n]);
      value = tree_.net_value[n];
      std::copy_n(tree_.move.begin() + std::ptrdiff_t(first), count, moves.begin());
      for (std::size_t i = 0; i < count; ++i) logits[i] = prior_logit(tree_.prior[first + i]);
    }
    restart();  // sees by itself what needs no net
    if (count == 0 || expanded() || proven()) return;
    tree_.expand(0, {moves.data(), count}, {logits.data(), count}, value);
    choice_.set(tree_);
  }

  // One visit down the tree.
  Step descend(Leaf& leaf) {
    if (!expanded() && !proven()) {
      if (root_pending_) return Step::kCollision;
      root_pending_ = true;
      leaf = {0, root_, last_};
      return Step::kLeaf;
    }
    ++started_;
    std::int32_t node = 0;
    auto position = root_;
    for (;;) {
      if (tree_.proof[std::size_t(node)] != kUnknown || ask_connections(node, position)) return resolve(node);
      const auto edge = choose(node);
      const auto e = std::size_t(edge);
      tree_.begin_visit(node, edge);
      const auto move = tree_.move[e];
      position.play(move);
      if (tree_.child[e] == Tree::kNowhere) {
        node = tree_.child[e] = tree_.add_node(node, edge);
        if (!settle(node, position)) {
          leaf = {node, position, move};
          return Step::kLeaf;
        }
      } else {
        node = tree_.child[e];
        if (tree_.edge_count[std::size_t(node)] == 0 && tree_.proof[std::size_t(node)] == kUnknown) {
          tree_.cancel(node);
          --started_;
          return Step::kCollision;
        }
      }
    }
  }

  // Takes in the judgement of a leaf: logits [cells] on the board as it is, the value for the side to move there.
  void finish(const Leaf& leaf, const float* logits, float value) {
    std::array<Move, kCells> moves;
    std::array<float, kCells> of_moves;
    std::size_t count = 0;
    leaf.position.empty().for_each([&](int cell) {
      moves[count] = Move(cell);
      of_moves[count++] = logits[cell];
    });
    tree_.expand(leaf.node, {moves.data(), count}, {of_moves.data(), count}, value);
    if (leaf.node == 0) {
      root_pending_ = false;
      choice_.begin(tree_, settings_, planned_, random_);
    } else {
      tree_.back_up(leaf.node, value);
    }
  }

  // No judgement will come: the leaf and the visit that led to it are forgotten.
  void abandon(const Leaf& leaf) {
    if (leaf.node == 0) {
      root_pending_ = false;
    } else {
      tree_.drop(leaf.node);
      --started_;
    }
  }

  // The edge to play, and the improved policy over the root's edges: see Root. Only when expanded.
  std::int32_t best_edge() const { return choice_.best_edge(tree_, settings_); }
  std::vector<float> improved_policy() const { return choice_.improved_policy(tree_, settings_); }
  float stakes() const { return choice_.stakes(tree_); }

 private:
  static constexpr auto kCells = std::size_t(64 * Words);

  void restart() {
    tree_.clear();
    tree_.add_node(Tree::kNowhere, Tree::kNowhere);
    root_pending_ = false;
    started_ = planned_ = 0;
    if (settle(0, root_)) choice_.set(tree_);
  }

  // A node that connections proved says nothing of its moves, and a root needs one: it is asked again, as a root.
  void open_root() {
    tree_.asked[0] = 0;
    const auto proofs = tree_.of(tree_.edge_proof, 0);
    const auto lost = std::size_t(std::count(proofs.begin(), proofs.end(), kLost));
    const bool won = std::find(proofs.begin(), proofs.end(), kWon) != proofs.end();
    if (!won && lost < proofs.size()) tree_.proof[0] = kUnknown;
  }

  Step resolve(std::int32_t node) {
    tree_.back_up(node, float(tree_.proof[std::size_t(node)]));
    return Step::kResolved;
  }

  // What needs no net: a win in one, two threats at once, a forced reply. True when the node got its edges so.
  bool settle(std::int32_t node, const Position<Words>& position) {
    const auto n = std::size_t(node);
    auto cells = position.winning_cells(position.turn());
    if (cells.any()) {
      tree_.proof[n] = kWon;
    } else {
      cells = position.winning_cells(other(position.turn()));
      if (!cells.any()) return false;
      if (cells.count() > 1) tree_.proof[n] = kLost;
    }
    std::array<Move, kCells> moves;
    std::array<float, kCells> logits{};
    std::size_t count = 0;
    cells.for_each([&](int cell) { moves[count++] = Move(cell); });
    tree_.expand(node, {moves.data(), count}, {logits.data(), count}, float(tree_.proof[n]));
    if (tree_.proof[n] != kUnknown) {
      for (std::size_t i = 0; i < count; ++i) tree_.edge_proof[std::size_t(tree_.first_edge[n]) + i] = tree_.proof[n];
    }
    return true;
  }

  // What connections say of a node with visits enough is true for ever. Whether it is proven now.
  bool ask_connections(std::int32_t node, const Position<Words>& position) {
    const auto n = std::size_t(node);
    if (settings_.connections == 0 || tree_.asked[n] != 0) return false;
    if (node != 0 && tree_.total_visits[n] < float(settings_.connections)) return false;
    tree_.asked[n] = 1;
    if (!knowledge_) knowledge_ = std::make_unique<NodeKnowledge<Words>>(root_.geometry());
    const auto verdict = knowledge_->ask(position, NodeKnowledge<Words>::stones_of(root_), node == 0);
    bool open = false;
    for (auto e = std::size_t(tree_.first_edge[n]); e < std::size_t(tree_.first_edge[n] + tree_.edge_count[n]); ++e) {
      if (tree_.move[e] == verdict.winning) tree_.edge_proof[e] = kWon;
      if (!(verdict.moves - verdict.pruned).test(tree_.move[e])) tree_.edge_proof[e] = kLost;
      open = open || tree_.edge_proof[e] != kLost;
    }
    tree_.proof[n] = verdict.proof == kUnknown && !open && node != 0 ? kLost : verdict.proof;
    return tree_.proof[n] != kUnknown;
  }

  std::int32_t choose(std::int32_t node) const {
    if (node == 0) return choice_.choose(tree_, settings_, started_ - 1);
    if (settings_.gumbel) return choose_improved(tree_, node, settings_);
    return choose_puct(tree_, node, settings_, tree_.of(tree_.prior, node));
  }

  SearchSettings settings_;
  Position<Words> root_;
  Move last_;
  Random random_;
  Tree tree_;
  Root choice_;
  std::unique_ptr<NodeKnowledge<Words>> knowledge_;
  int planned_ = 0;
  int started_ = 0;
  bool root_pending_ = false;
};

}  // namespace fingal
