// The tree: visits, proofs, virtual visits, the new root; and what Search and TreeSearch make of it.
#include "core/tree.hpp"

#include <sstream>

#include "check.hpp"
#include "core/choice.hpp"
#include "core/selection.hpp"
#include "core/tree_search.hpp"

using namespace fingal;

namespace {

bool near(float a, double b) { return std::abs(double(a) - b) < 1e-5; }

constexpr std::array<Move, 3> kMoves{0, 1, 2};

// A node below another by its k-th edge, with three edges of its own and the priors 1/8, 1/4, 5/8.
std::int32_t grow(Tree& tree, std::int32_t above, int k, float value) {
  constexpr std::array<float, 3> logits{0, 0.6931472F, 1.6094379F};
  const auto edge = above == Tree::kNowhere ? Tree::kNowhere : tree.first_edge[std::size_t(above)] + k;
  if (edge != Tree::kNowhere) tree.begin_visit(above, edge);
  const auto node = tree.add_node(above, edge);
  if (edge != Tree::kNowhere) tree.child[std::size_t(edge)] = node;
  tree.expand(node, kMoves, logits, value);
  if (edge != Tree::kNowhere) tree.back_up(node, value);
  return node;
}

void visits_count_and_values_alternate() {
  Tree tree;
  const auto root = grow(tree, Tree::kNowhere, 0, 0.1F);
  CHECK(near(tree.prior[0], 0.125) && near(tree.prior[1], 0.25) && near(tree.prior[2], 0.625));
  CHECK(near(tree.value(root), 0.1));
  const auto a = grow(tree, root, 2, 0.4F);  // good for the other side
  CHECK(tree.visits[2] == 1 && near(tree.value_sum[2], -0.4));
  CHECK(near(tree.value(root), (0.1 - 0.4) / 2));
  tree.begin_visit(root, 2);  // on the way to a's child, as a simulation goes
  grow(tree, a, 0, -0.8F);
  CHECK(tree.visits[2] == 2 && near(tree.value_sum[2], -0.4 - 0.8));
  CHECK(near(tree.edge_value(2, 9), -0.6) && tree.edge_value(0, 9) == 9);
  CHECK(near(tree.value(a), (0.4 + 0.8) / 2));
  CHECK(near(tree.tried_prior[0], 0.625) && near(tree.tried_prior[1], 0.125));
  CHECK(tree.total_visits[0] == 2 && tree.total_visits[1] == 1);
}

void virtual_visits_are_losses_and_can_be_taken_back() {
  Tree tree;
  const auto root = grow(tree, Tree::kNowhere, 0, 0);
  const auto a = grow(tree, root, 0, 0.5F);
  const auto before = tree;
  tree.begin_visit(root, 0);
  tree.begin_visit(a, tree.first_edge[1] + 1);
  const auto leaf = tree.add_node(a, tree.first_edge[1] + 1);
  tree.child[std::size_t(tree.first_edge[1] + 1)] = leaf;
  CHECK(tree.visits[0] == 2 && near(tree.value_sum[0], -1.5));
  CHECK(near(tree.total_value[1], -1) && tree.total_visits[1] == 1);
  tree.drop(leaf);
  CHECK(tree.visits == before.visits && tree.total_visits[0] == 1 && tree.total_visits[1] == 0);
  CHECK(tree.child == before.child);
  for (std::size_t e = 0; e < tree.value_sum.size(); ++e) CHECK(near(tree.value_sum[e], double(before.value_sum[e])));
  for (std::size_t n = 0; n < 2; ++n) CHECK(near(tree.tried_prior[n], double(before.tried_prior[n])));
}

void proofs_are_backed_up_exactly() {
  Tree tree;
  const auto root = grow(tree, Tree::kNowhere, 0, 0);
  std::array<std::int32_t, 3> below{};
  for (int k = 0; k < 3; ++k) below[std::size_t(k)] = grow(tree, root, k, 0.3F);
  const auto prove = [&](std::int32_t node, Proof proof) {
    tree.begin_visit(root, tree.parent_edge[std::size_t(node)]);
    tree.proof[std::size_t(node)] = proof;
    tree.back_up(node, float(proof));
  };
  // A child that is won for its side to move is a move lost for us; we are lost when all are.
  prove(below[0], kWon);
  prove(below[2], kWon);
  CHECK(tree.edge_proof[0] == kLost && tree.edge_proof[1] == kUnknown && tree.edge_proof[2] == kLost);
  CHECK(tree.proof[0] == kUnknown && tree.edge_value(0, 0) == -1);
  auto lost = tree;
  prove(below[1], kWon);
  CHECK(tree.proof[0] == kLost && tree.value(0) == -1);
  // One move that wins is enough.
  std::swap(tree, lost);
  prove(below[1], kLost);
  CHECK(tree.edge_proof[1] == kWon && tree.proof[0] == kWon && tree.value(0) == 1);
}

// The subtree as text, whatever the indices are.
void show(const Tree& tree, std::int32_t node, std::ostream& out) {
  const auto n = std::size_t(node);
  out << '(' << tree.net_value[n] << ' ' << tree.total_visits[n] << ' ' << tree.total_value[n] << ' '
      << int(tree.proof[n]);
  for (auto e = std::size_t(tree.first_edge[n]); e < std::size_t(tree.first_edge[n] + tree.edge_count[n]); ++e) {
    out << ' ' << tree.move[e] << ':' << tree.prior[e] << ',' << tree.visits[e] << ',' << tree.value_sum[e] << ','
        << int(tree.edge_proof[e]);
    if (tree.child[e] == Tree::kNowhere) continue;
    CHECK(tree.parent[std::size_t(tree.child[e])] == node);
    CHECK(tree.parent_edge[std::size_t(tree.child[e])] == std::int32_t(e));
    show(tree, tree.child[e], out);
  }
  out << ')';
}

std::string shown(const Tree& tree, std::int32_t node) {
  std::ostringstream out;
  show(tree, node, out);
  return out.str();
}

// A judgement that depends on the position alone.
float judge(const Position<1>& position, std::array<float, 64>& logits) {
  Random random(position.hash());
  for (auto& x : logits) x = float(random.below(1000)) / 400;
  return float(random.below(1000)) / 500 - 1;
}

void other_priors_for_a_node() {
  Tree tree;
  const auto root = grow(tree, Tree::kNowhere, 0, 0);
  grow(tree, root, 1, 0.5F);
  CHECK(near(tree.tried_prior[0], 0.25));
  constexpr std::array<float, 3> logits{1.6094379F, 0, 0.6931472F};  // 5/8, 1/8, 1/4
  tree.renew_priors(root, logits);
  CHECK(near(tree.prior[0], 0.625) && near(tree.prior[1], 0.125) && near(tree.prior[2], 0.25));
  CHECK(near(tree.tried_prior[0], 0.125));
  CHECK(tree.visits[1] == 1 && near(tree.value_sum[1], -0.5));
}

// Worked by hand: at the root two moves, a and b; to a two replies. For who moves at the root, a's games were 0.2 on
// the mean, but the best reply to it leaves -0.5.
void the_best_reply_counts_when_it_was_tried_often_enough() {
  Tree tree(true);
  const auto root = grow(tree, Tree::kNowhere, 0, 0);
  const auto reply = [&](std::int32_t node, int k, float value) {
    tree.begin_visit(root, 0);
    tree.begin_visit(node, tree.first_edge[std::size_t(node)] + k);
    const auto e = std::size_t(tree.first_edge[std::size_t(node)] + k);
    if (tree.child[e] == Tree::kNowhere) {
      const auto leaf = tree.add_node(node, std::int32_t(e));
      tree.child[e] = leaf;
    }
    tree.back_up(tree.child[e], value);
    tree.back_up_replies(tree.child[e], 2);
  };
  const auto a = grow(tree, root, 0, 0);
  const auto first = tree.first_edge[std::size_t(a)];
  CHECK(tree.reply_value[0] == Tree::kNoReply);
  tree.edge_proof[std::size_t(first + 2)] = kLost;
  tree.back_up_replies(a, 2);
  CHECK(tree.reply_value[0] == Tree::kNoReply);  // the other replies may be good
  reply(a, 0, -0.5F);                            // for who replies: 0.5
  CHECK(tree.reply_value[0] == Tree::kNoReply);  // once is not often enough
  reply(a, 0, -0.5F);
  CHECK(near(tree.reply_value[0], -0.5));
  reply(a, 1, 1.0F);
  reply(a, 1, 1.0F);
  CHECK(near(tree.edge_value(first, 9), 0.5) && near(tree.edge_value(first + 1, 9), -1));
  CHECK(near(tree.reply_value[0], -0.5));  // not their mean, (0 - 0.5 - 0.5 + 1 + 1) / 5 = 0.2
  CHECK(near(tree.edge_value(0, 9), 0.2));

  // b was tried as often and is worth 0: by the mean a is better, by the minimum b. No prior and little else counts.
  for (int i = 0; i < 5; ++i) {
    tree.begin_visit(root, 1);
    if (tree.child[1] == Tree::kNowhere) {
      const auto leaf = tree.add_node(root, 1);
      tree.child[1] = leaf;
    }
    tree.back_up(tree.child[1], 0);
    tree.back_up_replies(tree.child[1], 2);
  }
  tree.edge_proof[2] = kLost;
  RaveSettings settings{.initial = 1e-3F, .final = 1e-3F, .even = 1e-3F, .bias = 0};
  CHECK(choose_rave(tree, root, settings) == 0);
  settings.least_reply = 2;
  CHECK(choose_rave(tree, root, settings) == 1);

  // A proof needs no visits: the reply that wins leaves -1.
  tree.edge_proof[std::size_t(first + 2)] = kWon;
  tree.back_up_replies(a, 2);
  CHECK(near(tree.reply_value[0], -1));
}

void a_new_root_keeps_the_numbers() {
  for (const bool gumbel : {false, true}) {
    SearchSettings settings;
    settings.gumbel = gumbel;
    Search<1> search(Position<1>(geometry<1>(5, 4)), -1, settings, 7);
    std::array<float, 64> logits;
    for (int move = 0; move < 6 && !search.proven(); ++move) {
      search.prepare(300, settings);
      std::vector<Search<1>::Leaf> leaves;
      while (!search.proven() && search.started() < 300) {
        Search<1>::Leaf leaf{0, search.root(), -1};
        const auto step = search.descend(leaf);
        if (step == Search<1>::Step::kLeaf) leaves.push_back(leaf);
        if (step == Search<1>::Step::kCollision) CHECK(!leaves.empty());
        if (step == Search<1>::Step::kCollision || leaves.size() == 5) {
          // In another order than they were asked in, so that the edges do not stand in the order of the nodes.
          for (std::size_t i = leaves.size(); i-- > 0;) {
            const auto value = judge(leaves[i].position, logits);
            search.finish(leaves[i], logits.data(), value);
          }
          leaves.clear();
        }
      }
      for (const auto& leaf : leaves) search.abandon(leaf);
      const auto edge = std::size_t(search.best_edge());
      const auto& tree = search.tree();
      if (tree.child[edge] == Tree::kNowhere) break;
      const auto before = shown(tree, tree.child[edge]);
      const int nodes = tree.nodes();
      search.advance(tree.move[edge]);
      CHECK(shown(tree, 0) == before);
      CHECK(tree.nodes() < nodes && tree.parent[0] == Tree::kNowhere);
    }
  }
}

// All visits under way lead to the same leaf when there is one way only: the search says so and forgets the visit.
void collisions_are_told_and_leave_no_trace() {
  SearchSettings settings;
  Search<1> search(Position<1>(geometry<1>(3, 3)), -1, settings, 1);
  std::array<float, 64> logits{};
  Search<1>::Leaf leaf{0, search.root(), -1};
  CHECK(search.descend(leaf) == Search<1>::Step::kLeaf && leaf.node == 0);
  CHECK(search.descend(leaf) == Search<1>::Step::kCollision);  // the root itself is being judged
  search.finish(leaf, logits.data(), 0);
  int asked = 0;
  for (; search.descend(leaf) == Search<1>::Step::kLeaf; ++asked) {
    if (asked > 100) break;
  }
  CHECK(asked > 1 && asked <= 9);
  CHECK(search.started() == asked);
  CHECK(search.tree().total_visits[0] == float(asked));
  CHECK(near(search.tree().total_value[0], -asked));
}

void puct_chooses_what_the_formula_says() {
  Tree tree;
  const auto root = grow(tree, Tree::kNowhere, 0, 0.2F);
  grow(tree, root, 2, 0.5F);
  grow(tree, root, 1, -0.3F);
  SearchSettings settings;
  settings.c_init = 1;
  settings.c_base = 1e9F;
  settings.fpu_reduction = 0.4F;
  // The root's value is (0.2 - 0.5 + 0.3) / 3 = 0; what was not tried is worth 0 - 0.4 * sqrt(0.875) = -0.3742.
  // a: -0.3742 + 0.125 * sqrt(2) = -0.1974; b: 0.3 + 0.25 * sqrt(2) / 2 = 0.4768; c: -0.5 + 0.625 * 0.7071 = -0.0581.
  const auto priors = tree.of(tree.prior, 0);
  CHECK(choose_puct(tree, 0, settings, priors) == 1);
  tree.edge_proof[1] = kLost;
  CHECK(choose_puct(tree, 0, settings, priors) == 2);
  const std::array<float, 3> noisy{0.9F, 0.05F, 0.05F};
  CHECK(choose_puct(tree, 0, settings, noisy) == 0);
  Row completed;
  tree.edge_proof[1] = kUnknown;
  complete_values(tree, 0, completed);
  // v_mix: (0.2 + 2 * (0.25 * 0.3 - 0.625 * 0.5) / 0.875) / 3.
  CHECK(near(completed[0], (0.2 + 2 * (0.075 - 0.3125) / 0.875) / 3));
  CHECK(near(completed[1], 0.3) && near(completed[2], -0.5));
}

void of_lost_moves_the_one_that_took_longest_is_played() {
  Tree tree;
  grow(tree, Tree::kNowhere, 0, 0);
  Root root;
  root.set(tree);
  tree.visits = {2, 30, 13};
  tree.total_visits[0] = 45;
  SearchSettings settings;
  for (settings.gumbel = false;; settings.gumbel = true) {
    tree.edge_proof = {kLost, kLost, kLost};
    CHECK(root.best_edge(tree, settings) == 1);
    tree.edge_proof = {kUnknown, kLost, kLost};
    CHECK(root.best_edge(tree, settings) == 0);
    tree.edge_proof = {kLost, kLost, kUnknown};
    CHECK(root.best_edge(tree, settings) == 2);
    if (settings.gumbel) break;
  }
}

void cancelled_leaves_leave_the_search_usable() {
  Board board(7, 7, false);
  SearchSettings settings;
  const auto search = TreeSearch::make(board, settings, 1);
  const auto one = [&](int simulations, bool answered) {
    constexpr int most = 8;
    std::vector<std::uint64_t> stones(2 * most);
    std::unique_ptr<bool[]> white(new bool[most]());
    std::vector<std::int32_t> last(most);
    const int count = search->select(most, simulations, stones, {white.get(), most}, last, 0);
    const std::vector<float> logits(std::size_t(count * 49), 0), value(std::size_t(count), 0.1F);
    if (answered) {
      search->update(logits, value, 0);
    } else {
      search->cancel(0);
    }
    return count;
  };
  search->prepare(1000, settings);
  CHECK(one(1000, false) == 1);  // the root itself
  CHECK(search->visits() == 0);
  CHECK(one(1000, true) == 1);
  for (int i = 0; i < 20; ++i) CHECK(one(1000, true) == 8);
  const int visits = search->visits();
  CHECK(one(1000, false) == 8);
  CHECK(search->visits() == visits && search->simulations() == 160);
  while (one(1000, true) > 0) {
  }
  CHECK(search->visits() == 1001);
}

// Batches under way at once, judged in any order: the visits are those of the simulations, and of Gumbel's schedule.
void several_batches_share_a_tree() {
  Board board(5, 5, false);
  SearchSettings settings;
  settings.gumbel = true;
  settings.considered = 8;
  const auto search = TreeSearch::make(board, settings, 1);
  constexpr int most = 4, batches = 3, simulations = 240;
  std::array<int, batches> count{};
  const auto select = [&](int b) {
    std::array<std::uint64_t, 2 * most> stones{};
    std::array<bool, most> white{};
    std::array<std::int32_t, most> last{};
    const int n = search->select(most, simulations, stones, white, last, b);
    return count[std::size_t(b)] = n;
  };
  const auto update = [&](int b) {
    const auto n = std::size_t(count[std::size_t(b)]);
    search->update(std::vector<float>(n * 25, 0), std::vector<float>(n, 0.1F), b);
    count[std::size_t(b)] = 0;
  };
  search->prepare(simulations, settings);
  CHECK(select(0) == 1 && select(1) == 0);  // the root is judged by one of them
  update(0);
  Random random(7);
  int waited = 0;
  for (int turn = 0; turn < 2000; ++turn) {
    const int b = int(random.below(batches));
    if (count[std::size_t(b)] > 0) {
      update(b);
    } else {
      const int before = count[0] + count[1] + count[2];
      const int n = select(b);
      waited += n == 0 && before > 0 && search->simulations() < simulations;
      CHECK(n > 0 || before > 0 || search->simulations() == simulations);  // with none under way there is work
    }
    CHECK(search->visits() == 1 + search->simulations());
  }
  for (int b = 0; b < batches; ++b) update(b);
  CHECK(search->visits() == simulations + 1 && waited > 0);
  int once = 0, more = 0;  // sequential halving: 8 moves at 240 / 24 visits, 4 at 20 more, 2 at 40 more
  for (const auto& c : search->candidates({})) {
    once += c.visits == 10;
    more += c.visits == 70;
  }
  CHECK(once == 4 && more == 2);
  CHECK(refuses([&] { search->update({}, std::vector<float>(1, 0), 0); }, "0 are expected"));
  CHECK(refuses([&] { select(256); }, "from 0 to 255"));
  search->prepare(100, settings);
  CHECK(select(0) > 0 && select(1) > 0);
  search->cancel(0);
  CHECK(search->visits() == simulations + 1 + count[1]);
  update(1);
}

void halvings_are_where_moves_are_dropped() {
  // 4 moves once each, then 2 of them twice, then as many: [0 0 0 0, 1 1, 2 2].
  CHECK((halvings(considered_visits(4, 8)) == std::vector<int>{4}));
  // 16 / (3 * 8) gives 1 for 8 moves, then 1 for 4 and 2 for 2 of them.
  CHECK((halvings(considered_visits(8, 16)) == std::vector<int>{8, 12}));
  CHECK(halvings(considered_visits(1, 5)).empty());
}

void proven_positions_need_no_net() {
  Board board(3, 3, false);
  for (const int move : {4, 0, 1})
    board.play(Move(move));  // Black has b2 and b1: a win at a3 or b3, and White is to move
  const auto lost = TreeSearch::make(board, {}, 1);
  CHECK(lost->proof() == kLost && lost->value() == -1);
  board.play(lost->best_move());
  const auto won = TreeSearch::make(board, {}, 1);
  CHECK(won->proof() == kWon && won->value() == 1);
  board.play(won->best_move());
  CHECK(board.winner() == kBlack);
}

}  // namespace

int main() {
  visits_count_and_values_alternate();
  virtual_visits_are_losses_and_can_be_taken_back();
  proofs_are_backed_up_exactly();
  other_priors_for_a_node();
  the_best_reply_counts_when_it_was_tried_often_enough();
  a_new_root_keeps_the_numbers();
  collisions_are_told_and_leave_no_trace();
  puct_chooses_what_the_formula_says();
  of_lost_moves_the_one_that_took_longest_is_played();
  cancelled_leaves_leave_the_search_usable();
  several_batches_share_a_tree();
  halvings_are_where_moves_are_dropped();
  proven_positions_need_no_net();
  return verdict();
}
