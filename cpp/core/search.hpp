// One game's search: a tree, the position at its root, and the way down. It never calls a net: it hands out the
// positions that need judging and takes the judgements in.
#pragma once

#include <array>
#include <limits>

#include "random.hpp"
#include "selection.hpp"
#include "tree.hpp"

namespace fingal {

struct SearchSettings {
  bool gumbel = false;   // sequential halving at the root and completed values below, or else PUCT
  float c_init = 1.25F;  // PUCT's exploration rate: puct_rate
  float c_base = 19652.0F;
  float fpu_reduction = 0.25F;
  float c_visit = 50.0F;  // Gumbel's sigma
  float c_scale = 0.1F;
  int considered = 16;        // how many moves Gumbel's root looks at
  float gumbel_scale = 1.0F;  // 0: no noise, the strongest move
  float noise_share = 0.0F;   // how much of PUCT's root prior is Dirichlet noise
  float noise_total = 10.0F;  // the Dirichlet parameters' sum
};

// A gamma variate with shape a <= 1 or more (Marsaglia and Tsang 2000), for Dirichlet noise.
inline float gamma_variate(float shape, Random& random) {
  const auto uniform = [&] { return (float(random() >> 40) + 0.5F) / float(1 << 24); };
  if (shape < 1) return gamma_variate(shape + 1, random) * std::pow(uniform(), 1 / shape);
  const float d = shape - 1.0F / 3;
  const float c = 1 / std::sqrt(9 * d);
  for (;;) {
    const float x = std::sqrt(-2 * std::log(uniform())) * std::cos(6.2831853F * uniform());
    const float v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v > 0 && std::log(uniform()) < 0.5F * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

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
    restart(0);
  }

  const Tree& tree() const { return tree_; }
  const Position<Words>& root() const { return root_; }
  Random& random() { return random_; }
  bool expanded() const { return tree_.edge_count[0] > 0; }
  bool proven() const { return tree_.proof[0] != kUnknown; }
  int started() const { return started_; }  // simulations begun at this root, the root's own judging not counted

  // A new root position, an empty tree.
  void set_root(const Position<Words>& root, Move last) {
    root_ = root;
    last_ = last;
    restart(0);
  }

  // Prepares the root for a search of `simulations` (Gumbel's schedule needs their number).
  void prepare(int simulations, const SearchSettings& settings) {
    settings_ = settings;
    started_ = 0;
    planned_ = simulations;
    if (expanded()) draw_noise();
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
      restart(0);
    } else {
      tree_.move_root(edge);
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
    std::array<Move, std::size_t(64 * Words)> moves;
    Row logits;
    std::size_t count = 0;
    float value = 0;
    if (node != Tree::kNowhere) {
      const auto n = std::size_t(node);
      const auto first = std::size_t(tree_.first_edge[n]);
      count = std::size_t(tree_.edge_count[n]);
      value = tree_.net_value[n];
      std::copy_n(tree_.move.begin() + std::ptrdiff_t(first), count, moves.begin());
      std::copy_n(tree_.logit.begin() + std::ptrdiff_t(first), count, logits.begin());
    }
    restart(0);  // sees by itself what needs no net
    if (count == 0 || expanded() || proven()) return;
    tree_.expand(0, {moves.data(), count}, {logits.data(), count}, value);
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
      if (tree_.proof[std::size_t(node)] != kUnknown) return resolve(node);
      const auto edge = node == 0 ? choose_at_root() : choose(node);
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
    std::array<Move, std::size_t(64 * Words)> moves;
    Row of_moves;
    std::size_t count = 0;
    leaf.position.empty().for_each([&](int cell) {
      moves[count] = Move(cell);
      of_moves[count++] = logits[cell];
    });
    tree_.expand(leaf.node, {moves.data(), count}, {of_moves.data(), count}, value);
    if (leaf.node == 0) {
      root_pending_ = false;
      draw_noise();
    } else {
      tree_.back_up(leaf.node, value);
    }
  }

  // The edge to play: a proven win; or what sequential halving left; or the most visited, the best value first.
  std::int32_t best_edge() const {
    const auto first = tree_.first_edge[0];
    const auto end = first + tree_.edge_count[0];
    float most = 0;
    for (auto e = first; e < end; ++e) {
      if (tree_.edge_proof[std::size_t(e)] != kLost) most = std::max(most, tree_.visits[std::size_t(e)]);
    }
    Row completed{};
    if (settings_.gumbel) complete_values(0, completed);
    auto best = first;
    float best_score = -std::numeric_limits<float>::infinity();
    for (auto e = first; e < end; ++e) {
      const auto i = std::size_t(e);
      if (tree_.edge_proof[i] == kWon) return e;
      float score;
      if (tree_.edge_proof[i] == kLost) {
        score = -1e9F + tree_.visits[i];  // lost anyway: what took longest to refute
      } else if (settings_.gumbel) {
        const auto k = std::size_t(e - first);
        score = tree_.visits[i] < most ? -1e6F + tree_.visits[i]
                                       : gumbel_[k] + tree_.logit[i] + sigma_of(completed[k], most);
      } else {
        score = tree_.visits[i] + 0.5F * tree_.edge_value(e, -1) + 1e-3F * tree_.prior[i];
      }
      if (score > best_score) {
        best_score = score;
        best = e;
      }
    }
    return best;
  }

  // Gumbel MuZero's improved policy over the root's edges: softmax(logits + sigma(completed q)); proven losses get
  // nothing while something else is left, a proven win gets all.
  std::vector<float> improved_policy() const {
    const auto first = std::size_t(tree_.first_edge[0]);
    const auto count = std::size_t(tree_.edge_count[0]);
    Row completed;
    complete_values(0, completed);
    std::vector<float> policy(count);
    float most = 0;
    bool won = false;
    for (std::size_t i = 0; i < count; ++i) {
      most = std::max(most, tree_.visits[first + i]);
      won |= tree_.edge_proof[first + i] == kWon;
    }
    for (std::size_t i = 0; i < count; ++i) {
      policy[i] = tree_.logit[first + i] + sigma_of(completed[i], most);
      const auto proof = tree_.edge_proof[first + i];
      if (proof == kLost || (won && proof != kWon)) policy[i] -= 1e4F;
    }
    softmax(policy);
    return policy;
  }

 private:
  using Row = std::array<float, std::size_t(64 * Words)>;  // one number an edge of a node

  float sigma_of(float q, float most) const { return sigma(q, most, settings_.c_visit, settings_.c_scale); }

  void restart(int planned) {
    tree_.clear();
    tree_.add_node(Tree::kNowhere, Tree::kNowhere);
    root_pending_ = false;
    started_ = 0;
    planned_ = planned;
    if (settle(0, root_)) draw_noise();
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
    std::array<Move, std::size_t(64 * Words)> moves;
    Row logits{};
    std::size_t count = 0;
    cells.for_each([&](int cell) { moves[count++] = Move(cell); });
    tree_.expand(node, {moves.data(), count}, {logits.data(), count}, float(tree_.proof[n]));
    if (tree_.proof[n] != kUnknown) {
      for (std::size_t i = 0; i < count; ++i) tree_.edge_proof[std::size_t(tree_.first_edge[n]) + i] = tree_.proof[n];
    }
    return true;
  }

  void draw_noise() {
    const auto first = std::size_t(tree_.first_edge[0]);
    const auto count = std::size_t(tree_.edge_count[0]);
    gumbel_.assign(count, 0);
    if (settings_.gumbel) {
      for (auto& g : gumbel_) {
        const float u = (float(random_() >> 40) + 0.5F) / float(1 << 24);
        g = -settings_.gumbel_scale * std::log(-std::log(u));
      }
      schedule_ = considered_visits(std::min(settings_.considered, int(count)), planned_);
    } else if (settings_.noise_share > 0 && count > 1) {
      std::vector<float> noise(count);
      float total = 0;
      for (auto& x : noise) total += x = gamma_variate(settings_.noise_total / float(count), random_) + 1e-20F;
      for (std::size_t i = 0; i < count; ++i) {
        auto& p = tree_.prior[first + i];
        p += settings_.noise_share * (noise[i] / total - p);
      }
    }
  }

  // The value that edges without visits are given.
  float mixed_value_at(std::int32_t node) const {
    const auto n = std::size_t(node);
    const auto first = std::size_t(tree_.first_edge[n]);
    const auto count = std::size_t(tree_.edge_count[n]);
    float visited_prior = 0;
    float visited_prior_q = 0;
    for (auto i = first; i < first + count; ++i) {
      if (tree_.visits[i] <= 0) continue;
      visited_prior += tree_.prior[i];
      visited_prior_q += tree_.prior[i] * tree_.edge_value(std::int32_t(i), 0);
    }
    return mixed_value(tree_.net_value[n], tree_.total_visits[n], visited_prior, visited_prior_q);
  }

  // Per edge of a node: the value of its visits, or the mixed value where there are none.
  void complete_values(std::int32_t node, Row& values) const {
    const auto first = tree_.first_edge[std::size_t(node)];
    const auto count = tree_.edge_count[std::size_t(node)];
    const float mixed = mixed_value_at(node);
    for (std::int32_t i = 0; i < count; ++i) values[std::size_t(i)] = tree_.edge_value(first + i, mixed);
  }

  std::int32_t choose_at_root() const {
    if (!settings_.gumbel) return choose_puct(0);
    const auto first = tree_.first_edge[0];
    Row completed;
    complete_values(0, completed);
    float most = 0;
    for (const auto v : tree_.of(tree_.visits, 0)) most = std::max(most, v);
    // Past the plan, go on as if the last round never ended.
    const auto at = std::size_t(started_ - 1);
    const float wanted = at < schedule_.size() ? float(schedule_[at]) : most;
    auto best = first;
    float best_score = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < std::size_t(tree_.edge_count[0]); ++i) {
      const auto e = std::size_t(first) + i;
      if (tree_.edge_proof[e] == kLost) continue;
      float score = gumbel_[i] + tree_.logit[e] + sigma_of(completed[i], most);
      if (tree_.visits[e] != wanted) score -= 1e6F;  // proofs can leave too few moves with the wanted visits
      if (score > best_score) {
        best_score = score;
        best = first + std::int32_t(i);
      }
    }
    return best;
  }

  std::int32_t choose(std::int32_t node) const { return settings_.gumbel ? choose_improved(node) : choose_puct(node); }

  // Below the root: visits follow the improved policy (Danihelka et al. 2022, eq. 14). The policy is
  // p * exp(sigma(q)) over its sum, and all edges without visits share one q, so that few exponentials are needed.
  std::int32_t choose_improved(std::int32_t node) const {
    const auto n = std::size_t(node);
    const auto first = std::size_t(tree_.first_edge[n]);
    const auto count = std::size_t(tree_.edge_count[n]);
    if (count == 1) return std::int32_t(first);
    const float* visits = tree_.visits.data() + first;
    const float* priors = tree_.prior.data() + first;
    const Proof* proofs = tree_.edge_proof.data() + first;
    float most = 0;
    for (std::size_t i = 0; i < count; ++i) most = std::max(most, visits[i]);
    const float fresh = sigma_of(mixed_value_at(node), most);
    float top = fresh;
    for (std::size_t i = 0; i < count; ++i) {
      if (visits[i] > 0 && proofs[i] != kLost) {
        top = std::max(top, sigma_of(tree_.edge_value(std::int32_t(first + i), 0), most));
      }
    }
    const float fresh_factor = exp_below_zero(fresh - top);
    Row weight;
    for (std::size_t i = 0; i < count; ++i) weight[i] = priors[i] * fresh_factor;
    for (std::size_t i = 0; i < count; ++i) {
      if (proofs[i] == kLost) {
        weight[i] = 0;
      } else if (visits[i] > 0) {
        weight[i] = priors[i] * exp_below_zero(sigma_of(tree_.edge_value(std::int32_t(first + i), 0), most) - top);
      }
    }
    float sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += weight[i];
    const float scale = 1 / std::max(sum, 1e-30F);
    const float share = 1 / (1 + tree_.total_visits[n]);
    for (std::size_t i = 0; i < count; ++i) {
      const float score = weight[i] * scale - visits[i] * share;
      weight[i] = proofs[i] == kLost ? -1e9F : score;
    }
    return std::int32_t(first) +
           std::int32_t(std::max_element(weight.begin(), weight.begin() + std::ptrdiff_t(count)) - weight.begin());
  }

  std::int32_t choose_puct(std::int32_t node) const {
    const auto n = std::size_t(node);
    const auto first = std::size_t(tree_.first_edge[n]);
    const auto count = std::size_t(tree_.edge_count[n]);
    const float total = tree_.total_visits[n];
    const float fresh = first_play_urgency((tree_.net_value[n] + tree_.total_value[n]) / (1 + total),
                                           std::max(tree_.tried_prior[n], 0.0F), settings_.fpu_reduction);
    const float rate = puct_rate(settings_.c_init, settings_.c_base, total);
    const float root = std::sqrt(std::max(total, 1.0F));
    const float* visits = tree_.visits.data() + first;
    const float* sums = tree_.value_sum.data() + first;
    const float* priors = tree_.prior.data() + first;
    const Proof* proofs = tree_.edge_proof.data() + first;
    Row score;
    for (std::size_t i = 0; i < count; ++i) {  // kept free of branches, for the vector unit
      const float q = visits[i] > 0 ? sums[i] / std::max(visits[i], 1.0F) : fresh;
      const float s = puct_score(q, priors[i], visits[i], root, rate);
      score[i] = proofs[i] == kLost ? -1e9F : s;
    }
    const auto best = std::max_element(score.begin(), score.begin() + std::ptrdiff_t(count)) - score.begin();
    return std::int32_t(first) + std::int32_t(best);
  }

  SearchSettings settings_;
  Position<Words> root_;
  Move last_;
  Random random_;
  Tree tree_;
  std::vector<float> gumbel_;  // by root edge
  std::vector<int> schedule_;
  int planned_ = 0;
  int started_ = 0;
  bool root_pending_ = false;
};

}  // namespace fingal
