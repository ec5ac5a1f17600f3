#include "uct_search.hpp"

#include <cmath>
#include <string>

#include "evaluation.hpp"
#include "packed.hpp"
#include "setting.hpp"

namespace fingal {
namespace {

template <int Words>
class SizedUctSearch final : public UctSearch {
 public:
  SizedUctSearch(const Board& board, std::shared_ptr<const PatternModel> model, const UctSettings& settings,
                 std::uint64_t seed, int threads)
      : board_(board), uct_(position_of<Words>(board), last_of(board), std::move(model), settings, seed, threads) {}

  void set_position(const Board& board) override {
    check_searchable(board, board_.width(), board_.height());
    const auto moves = moves_between(board_, board);
    auto next = board;
    whole([&] {
      if (moves) {
        for (const auto move : *moves) uct_.advance(move);
      } else {
        uct_.set_root(position_of<Words>(board), last_of(board));
      }
    });
    board_ = std::move(next);
  }

  std::int64_t run(std::int64_t simulations, double seconds, std::int64_t nodes, double left) override {
    if (std::isnan(seconds) || std::isnan(left)) throw std::invalid_argument("a limit of nan seconds is not possible");
    const auto now = std::chrono::steady_clock::now();
    const auto in = [&](double wait) {
      constexpr double kYear = 3e7;
      const auto allowed = std::chrono::duration<double>(std::clamp(wait, 0.0, kYear));
      return now + std::chrono::duration_cast<std::chrono::steady_clock::duration>(allowed);
    };
    std::int64_t games = 0;
    whole([&] { games = uct_.run({simulations, nodes, in(seconds), in(left)}); });
    return games;
  }

  Waiting waiting() const override {
    const auto positions = uct_.waiting();
    const auto count = positions.size();
    Waiting found{std::vector<std::uint64_t>(2 * count * Words), {}, {}};
    for (std::size_t i = 0; i < count; ++i) {
      const auto& [position, last] = positions[i];
      pack_stones(position, found.stones, count, i);
      found.white_to_move.push_back(position.turn() == kWhite);
      found.last.push_back(last);
    }
    return found;
  }

  void answer(std::span<const float> logits) override {
    const auto positions = uct_.waiting();
    const auto cells = std::size_t(board_.cells()), expected = positions.size() * cells;
    if (logits.size() != expected) {
      throw std::invalid_argument(std::to_string(logits.size()) + " logits do not answer what was asked: " +
                                  std::to_string(expected) + " are expected");
    }
    for (std::size_t i = 0; i < positions.size(); ++i) {
      check_logits(positions[i].first.empty(), logits.subspan(i * cells, cells));
    }
    whole([&] { uct_.answer(logits); });
  }

  void cancel() override { uct_.cancel(); }

  void prove(int proof, int winning) override {
    if (proof != kWon && proof != kLost) {
      throw std::invalid_argument("proof=" + std::to_string(proof) + " is not possible: 1 for won, -1 for lost");
    }
    const bool is_move = winning >= 0 && winning < board_.cells() && board_.colour_at(winning) == kNobody;
    if (winning != -1 && !(is_move && proof == kWon)) {
      throw std::invalid_argument("winning=" + std::to_string(winning) +
                                  " is not possible: an empty cell when the root is won, or -1");
    }
    whole([&] { uct_.prove(Proof(proof), Move(winning)); });
  }

  const Tree& tree() const override { return uct_.tree(); }
  Move best_move() const override {
    if (!expanded()) throw std::logic_error("the search has not begun");
    return tree().move[std::size_t(most_visited(tree(), 0))];
  }

 private:
  // Does something that cannot be left half done: when it throws, the search begins anew at its position.
  template <class F>
  void whole(F&& act) {
    try {
      act();
    } catch (...) {
      uct_.begin_anew(position_of<Words>(board_), last_of(board_));
      throw;
    }
  }

  Board board_;
  Uct<Words> uct_;
};

}  // namespace

std::unique_ptr<UctSearch> UctSearch::make(const Board& board, std::shared_ptr<const PatternModel> model,
                                           const UctSettings& settings, std::uint64_t seed, int threads) {
  check_searchable(board, board.width(), board.height());
  if (!model) throw std::invalid_argument("a search with playouts needs a model of patterns");
  check_settings(settings.rave);
  constexpr double kMost = std::numeric_limits<int>::max();
  check_setting("expand", settings.expand, 1, kMost);
  check_setting("knowledge", settings.knowledge, 0, kMost);
  check_setting("net", settings.net, 0, kMost);
  if (threads < 1 || threads > 256)
    throw std::invalid_argument("threads must be from 1 to 256, not " + std::to_string(threads));
  if (settings.in_flight < 1 || settings.in_flight > 256)
    throw std::invalid_argument("in_flight must be from 1 to 256, not " + std::to_string(settings.in_flight));
  return with_words(board.cells(), [&]<int Words>() -> std::unique_ptr<UctSearch> {
    return std::make_unique<SizedUctSearch<Words>>(board, std::move(model), settings, seed, threads);
  });
}

std::vector<std::int32_t> pattern_playouts(const Board& board, const PatternModel& model, int count,
                                           std::uint64_t seed) {
  if (board.winner() != kNobody) throw std::invalid_argument("the game is over: there is nothing to play out");
  if (count < 0) throw std::invalid_argument("a negative number of playouts is not possible");
  return with_words(board.cells(), [&]<int Words>() {
    const auto position = position_of<Words>(board);
    const Surroundings<Words> around(position.geometry());
    PatternBoard<Words> patterns(around);
    patterns.place_all(position.stones(kBlack), position.stones(kWhite));
    PatternPlayout<Words> playout(model.playout);
    Random random(seed);
    std::vector<std::int32_t> result(std::size_t(board.cells()) + 1);
    for (int i = 0; i < count; ++i) {
      const auto black = playout.play(position, patterns, last_of(board), random);
      black.for_each([&](int cell) { ++result[std::size_t(cell)]; });
      result.back() += winner_of_full(position.geometry(), black) == kBlack;
    }
    return result;
  });
}

}  // namespace fingal
