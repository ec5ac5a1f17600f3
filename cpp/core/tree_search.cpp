#include "tree_search.hpp"

#include <cstring>

namespace fingal {
namespace {

template <int Words>
class SizedTreeSearch final : public TreeSearch {
 public:
  SizedTreeSearch(const Board& board, const SearchSettings& settings, std::uint64_t seed)
      : board_(board), search_(position_of<Words>(board), last_of(board), settings, seed) {}

  void set_position(const Board& board) override {
    cancel();
    const auto& old = board_.moves();
    const auto& now = board.moves();
    auto copy = board_;
    bool follows = now.size() >= old.size() && std::equal(old.begin(), old.end(), now.begin());
    for (auto i = old.size(); follows && i < now.size(); ++i) {
      follows = copy.winner() == kNobody && now[i] != kSwap && copy.colour_at(now[i]) == kNobody;
      if (follows) copy.play(now[i]);
    }
    follows = follows && copy == board;
    if (follows) {
      for (auto i = old.size(); i < now.size(); ++i) search_.advance(now[i]);
    } else {
      search_.set_root(position_of<Words>(board), last_of(board));
    }
    board_ = board;
  }

  void prepare(int simulations, const SearchSettings& settings) override { search_.prepare(simulations, settings); }

  int select(int most, int simulations, std::span<std::uint64_t> stones, std::span<bool> white_to_move,
             std::span<std::int32_t> last) override {
    while (int(leaves_.size()) < most && !search_.proven() && !finished(simulations)) {
      typename Search<Words>::Leaf leaf{0, search_.root(), -1};
      const auto step = search_.descend(leaf);
      if (step == Search<Words>::Step::kCollision) break;
      if (step == Search<Words>::Step::kResolved) continue;
      const auto i = leaves_.size();
      for (const auto colour : {kBlack, kWhite}) {
        std::memcpy(stones.data() + (colour * std::size_t(most) + i) * Words, leaf.position.stones(colour).word.data(),
                    sizeof(Bits<Words>));
      }
      white_to_move[i] = leaf.position.turn() == kWhite;
      last[i] = leaf.last;
      leaves_.push_back(leaf);
    }
    return int(leaves_.size());
  }

  void update(std::span<const float> logits, std::span<const float> value) override {
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      search_.finish(leaves_[i], logits.data() + i * std::size_t(cells()), value[i]);
    }
    leaves_.clear();
  }

  void cancel() override {
    for (const auto& leaf : leaves_) search_.abandon(leaf);
    leaves_.clear();
  }

  int words() const override { return Words; }
  int cells() const override { return board_.cells(); }
  int simulations() const override { return search_.started(); }
  int visits() const override { return search_.expanded() ? 1 + int(tree().total_visits[0]) : 0; }
  int nodes() const override { return tree().nodes(); }
  float value() const override { return tree().value(0); }
  Proof proof() const override { return tree().proof[0]; }

  std::vector<Candidate> candidates(std::span<const Move> line) const override {
    std::vector<Candidate> all;
    const auto node = node_after(line);
    if (node == Tree::kNowhere || tree().edge_count[std::size_t(node)] == 0) return all;
    const auto first = tree().first_edge[std::size_t(node)];
    for (auto e = first; e < first + tree().edge_count[std::size_t(node)]; ++e) {
      const auto i = std::size_t(e);
      const float value = tree().edge_value(e, tree().net_value[std::size_t(node)]);
      all.push_back({tree().move[i], int(tree().visits[i]), value, tree().prior[i], tree().edge_proof[i]});
    }
    // At the root, Gumbel may prefer a move with fewer visits.
    const auto best = node == 0 ? best_move() : Move(-1);
    std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
      if ((a.move == best) != (b.move == best)) return a.move == best;
      if ((a.proof == kWon) != (b.proof == kWon)) return a.proof == kWon;
      if (a.visits != b.visits) return a.visits > b.visits;
      return a.prior > b.prior;
    });
    return all;
  }

  Move best_move() const override {
    if (!search_.expanded()) throw std::logic_error("the search has not begun");
    return tree().move[std::size_t(search_.best_edge())];
  }

  std::vector<float> improved_policy() const override {
    std::vector<float> result(std::size_t(cells()), 0);
    if (!search_.expanded()) return result;
    const auto policy = search_.improved_policy();
    for (std::size_t i = 0; i < policy.size(); ++i) {
      result[std::size_t(tree().move[std::size_t(tree().first_edge[0]) + i])] = policy[i];
    }
    return result;
  }

  std::vector<Move> principal_variation(std::span<const Move> line) const override {
    std::vector<Move> moves;
    for (auto node = node_after(line); node != Tree::kNowhere;) {
      const auto begin = tree().first_edge[std::size_t(node)];
      const auto end = begin + tree().edge_count[std::size_t(node)];
      auto pick = Tree::kNowhere;
      for (auto e = begin; e < end; ++e) {
        const auto i = std::size_t(e);
        if (tree().edge_proof[i] == kWon) {
          pick = e;
          break;
        }
        if (tree().visits[i] > (pick == Tree::kNowhere ? 0 : tree().visits[std::size_t(pick)])) pick = e;
      }
      if (pick == Tree::kNowhere) break;
      moves.push_back(tree().move[std::size_t(pick)]);
      node = tree().child[std::size_t(pick)];
    }
    return moves;
  }

  void run_constant(int simulations) override {
    const std::vector<float> logits(std::size_t(cells()), 0);
    typename Search<Words>::Leaf leaf{0, search_.root(), -1};
    while (!search_.proven() && search_.started() < simulations) {
      if (search_.descend(leaf) == Search<Words>::Step::kLeaf) search_.finish(leaf, logits.data(), 0);
    }
  }

 private:
  const Tree& tree() const { return search_.tree(); }

  std::int32_t node_after(std::span<const Move> line) const {
    std::int32_t node = 0;
    for (const auto move : line) {
      if (node == Tree::kNowhere) break;
      const auto moves = tree().of(tree().move, node);
      const auto found = std::find(moves.begin(), moves.end(), move);
      if (found == moves.end()) return Tree::kNowhere;
      node = tree().child[std::size_t(tree().first_edge[std::size_t(node)] + (found - moves.begin()))];
    }
    return node;
  }

  // The root's own judging is no simulation; those under way count.
  bool finished(int simulations) const { return search_.expanded() && search_.started() >= simulations; }

  static Move last_of(const Board& board) {
    if (board.moves().empty()) return -1;
    return board.moves().back() == kSwap ? Move(-1) : board.moves().back();
  }

  Board board_;
  Search<Words> search_;
  std::vector<typename Search<Words>::Leaf> leaves_;
};

}  // namespace

std::unique_ptr<TreeSearch> TreeSearch::make(const Board& board, const SearchSettings& settings, std::uint64_t seed) {
  if (board.winner() != kNobody) throw std::invalid_argument("the game is over: there is nothing to search");
  return with_words(board.cells(), [&]<int Words>() -> std::unique_ptr<TreeSearch> {
    return std::make_unique<SizedTreeSearch<Words>>(board, settings, seed);
  });
}

}  // namespace fingal
