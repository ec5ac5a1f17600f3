#include "tree_search.hpp"

#include <string>

#include "evaluation.hpp"
#include "packed.hpp"

namespace fingal {
namespace {

template <int Words>
class SizedTreeSearch final : public TreeSearch {
 public:
  SizedTreeSearch(const Board& board, const SearchSettings& settings, std::uint64_t seed)
      : board_(board), search_(position_of<Words>(board), last_of(board), settings, seed) {}

  void set_position(const Board& board) override {
    check_searchable(board, board_.width(), board_.height());
    const auto moves = moves_between(board_, board);
    auto next = board;
    whole([&] {
      cancel_all();
      if (moves) {
        for (const auto move : *moves) search_.advance(move);
      } else {
        search_.set_root(position_of<Words>(board), last_of(board));
      }
    });
    board_ = std::move(next);
  }

  void prepare(int simulations, const SearchSettings& settings) override {
    check_settings(settings);
    if (simulations < 0) throw std::invalid_argument("a negative number of simulations is not possible");
    if (settings.gumbel) check_plan(simulations);
    whole([&] { search_.prepare(simulations, settings); });
  }

  int select(int most, int simulations, std::span<std::uint64_t> stones, std::span<bool> white_to_move,
             std::span<std::int32_t> last, int batch) override {
    auto& leaves = batch_of(batch);
    if (!leaves.empty()) {
      throw std::invalid_argument("batch " + std::to_string(batch) + " is under way: update or cancel it first");
    }
    whole([&] {
      while (int(leaves.size()) < most && !search_.proven() && !finished(simulations)) {
        // The others' judgements decide what is dropped.
        if (search_.halves_next() && under_way() > leaves.size()) break;
        typename Search<Words>::Leaf leaf{0, search_.root(), -1};
        const auto step = search_.descend(leaf);
        if (step == Search<Words>::Step::kCollision) break;
        if (step == Search<Words>::Step::kResolved) continue;
        const auto i = leaves.size();
        pack_stones(leaf.position, stones, std::size_t(most), i);
        white_to_move[i] = leaf.position.turn() == kWhite;
        last[i] = leaf.last;
        leaves.push_back(leaf);
      }
    });
    return int(leaves.size());
  }

  void update(std::span<const float> logits, std::span<const float> value, int batch) override {
    auto& leaves = batch_of(batch);
    if (value.size() != leaves.size()) {
      throw std::invalid_argument(std::to_string(value.size()) + " judgements do not answer what was asked: " +
                                  std::to_string(leaves.size()) + " are expected");
    }
    if (logits.size() != leaves.size() * std::size_t(cells())) {
      throw std::invalid_argument(std::to_string(logits.size()) + " logits do not answer what was asked: " +
                                  std::to_string(leaves.size() * std::size_t(cells())) + " are expected");
    }
    const auto logits_of = [&](std::size_t i) {
      return logits.subspan(i * std::size_t(cells()), std::size_t(cells()));
    };
    for (std::size_t i = 0; i < leaves.size(); ++i)
      check_evaluation(leaves[i].position.empty(), logits_of(i), value[i]);
    whole([&] {
      for (std::size_t i = 0; i < leaves.size(); ++i) search_.finish(leaves[i], logits_of(i).data(), value[i]);
      leaves.clear();
    });
  }

  void cancel(int batch) override {
    auto& leaves = batch_of(batch);
    for (const auto& leaf : leaves) search_.abandon(leaf);
    leaves.clear();
  }

  void cancel_all() override {
    for (std::size_t batch = 0; batch < batches_.size(); ++batch) cancel(int(batch));
  }

  int words() const override { return Words; }
  int cells() const override { return board_.cells(); }
  int simulations() const override { return search_.started(); }
  const Tree& tree() const override { return search_.tree(); }

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

  void run_constant(int simulations) override {
    if (under_way() > 0) throw std::invalid_argument("a batch is under way: update or cancel it first");
    const std::vector<float> logits(std::size_t(cells()), 0);
    typename Search<Words>::Leaf leaf{0, search_.root(), -1};
    whole([&] {
      while (!search_.proven() && search_.started() < simulations) {
        if (search_.descend(leaf) == Search<Words>::Step::kLeaf) search_.finish(leaf, logits.data(), 0);
      }
    });
  }

 private:
  using Leaves = std::vector<typename Search<Words>::Leaf>;
  static constexpr int kMostBatches = 256;

  Leaves& batch_of(int batch) {
    if (batch < 0 || batch >= kMostBatches)
      throw std::invalid_argument("a batch has a number from 0 to 255, not " + std::to_string(batch));
    if (std::size_t(batch) >= batches_.size()) batches_.resize(std::size_t(batch) + 1);
    return batches_[std::size_t(batch)];
  }

  // Does something that cannot be left half done: when it throws, the search begins anew at its position.
  template <class F>
  void whole(F&& act) {
    try {
      act();
    } catch (...) {
      for (auto& leaves : batches_) leaves.clear();
      search_.begin_anew(position_of<Words>(board_), last_of(board_));
      throw;
    }
  }

  // Positions that are being judged.
  std::size_t under_way() const {
    std::size_t sum = 0;
    for (const auto& leaves : batches_) sum += leaves.size();
    return sum;
  }

  // The root's own judging is no simulation; those under way count.
  bool finished(int simulations) const { return search_.expanded() && search_.started() >= simulations; }

  Board board_;
  Search<Words> search_;
  std::vector<Leaves> batches_;
};

}  // namespace

std::unique_ptr<TreeSearch> TreeSearch::make(const Board& board, const SearchSettings& settings, std::uint64_t seed) {
  check_searchable(board, board.width(), board.height());
  check_settings(settings);
  return with_words(board.cells(), [&]<int Words>() -> std::unique_ptr<TreeSearch> {
    return std::make_unique<SizedTreeSearch<Words>>(board, settings, seed);
  });
}

}  // namespace fingal
