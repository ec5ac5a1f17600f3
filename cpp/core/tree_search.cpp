#include "tree_search.hpp"

#include <cstring>

namespace fingal {
namespace {

template <int Words>
class SizedTreeSearch final : public TreeSearch {
 public:
  SizedTreeSearch(const Board& board, const SearchSettings& settings, std::uint64_t seed)
      : board_(board), search_(position_of(board), last_of(board), settings, seed) {}

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
      search_.set_root(position_of(board), last_of(board));
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
    if (leaves_.empty()) return;
    // Nodes that were never judged cannot stay: the tree starts anew. Only an interrupted search comes here.
    leaves_.clear();
    search_.set_root(search_.root(), last_of(board_));
  }

  int words() const override { return Words; }
  int cells() const override { return board_.cells(); }
  int simulations() const override { return search_.started(); }
  int visits() const override { return search_.expanded() ? 1 + int(tree().total_visits[0]) : 0; }
  int nodes() const override { return tree().nodes(); }
  float value() const override { return tree().value(0); }
  Proof proof() const override { return tree().proof[0]; }

  std::vector<Candidate> candidates() const override {
    std::vector<Candidate> all;
    if (!search_.expanded()) return all;
    const auto first = tree().first_edge[0];
    const auto best = search_.best_edge();
    for (auto e = first; e < first + tree().edge_count[0]; ++e) {
      const auto i = std::size_t(e);
      all.push_back({tree().move[i], int(tree().visits[i]), tree().edge_value(e, tree().net_value[0]), tree().prior[i],
                     tree().edge_proof[i]});
    }
    const auto best_move = tree().move[std::size_t(best)];
    std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
      if ((a.move == best_move) != (b.move == best_move)) return a.move == best_move;
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

  std::vector<Move> principal_variation(Move first) const override {
    std::vector<Move> line;
    std::int32_t node = 0;
    while (node != Tree::kNowhere && tree().edge_count[std::size_t(node)] > 0) {
      const auto begin = tree().first_edge[std::size_t(node)];
      const auto end = begin + tree().edge_count[std::size_t(node)];
      auto pick = Tree::kNowhere;
      for (auto e = begin; e < end; ++e) {
        const auto i = std::size_t(e);
        if (line.empty()) {
          if (tree().move[i] == first) pick = e;
          continue;
        }
        const bool better = pick == Tree::kNowhere || tree().visits[i] > tree().visits[std::size_t(pick)];
        if (tree().edge_proof[i] == kWon || (better && (tree().visits[i] > 0))) pick = e;
        if (tree().edge_proof[i] == kWon) break;
      }
      if (pick == Tree::kNowhere) break;
      line.push_back(tree().move[std::size_t(pick)]);
      node = tree().child[std::size_t(pick)];
    }
    return line;
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

  // The root's own judging is no simulation; those under way count.
  bool finished(int simulations) const { return search_.expanded() && search_.started() >= simulations; }

  static Move last_of(const Board& board) {
    if (board.moves().empty()) return -1;
    return board.moves().back() == kSwap ? Move(-1) : board.moves().back();
  }

  static Position<Words> position_of(const Board& board) {
    Position<Words> position(geometry<Words>(board.width(), board.height()));
    for (int cell = 0; cell < board.cells(); ++cell) {
      const int colour = board.colour_at(cell);
      if (colour != kNobody) position.place(cell, Colour(colour));
    }
    position.set_turn(board.turn());
    return position;
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
