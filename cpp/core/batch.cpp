#include "batch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "named_games.hpp"
#include "packed.hpp"
#include "playout.hpp"
#include "spread.hpp"
#include "threads.hpp"

namespace fingal {
namespace {

constexpr std::int32_t kNone = -1;

template <int Words>
class SizedBatch final : public Batch {
 public:
  SizedBatch(int width, int height, std::int64_t count, bool swap, int threads)
      : Batch(width, height, count),
        start_{Position<Words>(geometry<Words>(width, height)), kNone, false},
        swap_(swap),
        games_(std::size_t(count), start_),
        threads_(threads) {}

  void reset() override { games_.assign(games_.size(), start_); }

  void step(std::span<const std::int32_t> action, std::span<float> reward, std::span<bool> over) override {
    std::atomic<std::int64_t> bad = -1;
    threads_.split(count(), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i) {
        if (!is_legal(games_[std::size_t(i)], action[std::size_t(i)])) bad = i;
      }
    });
    if (bad >= 0) throw std::invalid_argument(complaint(bad, action[std::size_t(bad)]));
    threads_.split(count(), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        auto& game = games_[i];
        if (action[i] == cells()) {
          game.position.swap_pieces();
          game.can_swap = false;
        } else {
          game.position.play(action[i]);
          game.can_swap = swap_ && game.fresh;
        }
        game.last = action[i];
        game.fresh = false;
        over[i] = game.position.over();
        reward[i] = over[i] ? 1.0F : 0.0F;
        if (over[i]) game = start_;
      }
    });
  }

  void observe(std::span<bool> plane, std::span<bool> legal) override {
    threads_.split(count(), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        const auto& game = games_[i];
        write_planes(game, plane.data() + i * std::size_t(cells()) * 4);
        write_legal(game, legal.data() + i * std::size_t(actions()));
      }
    });
  }

  void random_actions(std::uint64_t seed, std::span<std::int32_t> action) override {
    threads_.split(count(), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i) {
        const auto& game = games_[std::size_t(i)];
        auto random = Random::stream(seed, std::uint64_t(i));
        const auto taken = game.position.stones(kBlack) | game.position.stones(kWhite);
        const int choices = game.can_swap ? actions() : cells();
        int pick;
        do {
          pick = random.below(choices);
        } while (pick < cells() && taken.test(pick));
        action[std::size_t(i)] = pick;
      }
    });
  }

  void pack(std::span<std::uint64_t> stones, std::span<bool> white_to_move,
            std::span<std::int32_t> last) const override {
    for (std::size_t i = 0; i < games_.size(); ++i) {
      const auto& game = games_[i];
      pack_stones(game.position, stones, games_.size(), i);
      white_to_move[i] = game.position.turn() == kWhite;
      last[i] = game.last;
    }
  }

  void unpack(std::span<const std::uint64_t> stones, std::span<const bool> white_to_move) override {
    auto loaded = games_;
    for (std::size_t i = 0; i < loaded.size(); ++i) {
      auto& game = loaded[i] = start_;
      game.fresh = false;
      std::array<Bits<Words>, 2> set;
      for (const auto colour : {kBlack, kWhite}) {
        std::memcpy(set[colour].word.data(), stones.data() + (colour * games_.size() + i) * Words, sizeof(Bits<Words>));
      }
      if (set[0].intersects(set[1]) || ((set[0] | set[1]) - start_.position.geometry().all).any()) {
        throw std::invalid_argument("packed position " + std::to_string(i) +
                                    " is broken: stones overlap or lie off the " + size_name(width(), height()) +
                                    " board");
      }
      for (const auto colour : {kBlack, kWhite}) {
        set[colour].for_each([&](int cell) { game.position.place(cell, colour); });
      }
      if (game.position.over()) {
        throw std::invalid_argument("packed position " + std::to_string(i) +
                                    " is already won: only games in progress can be loaded");
      }
      game.position.set_turn(white_to_move[i] ? kWhite : kBlack);
    }
    games_ = std::move(loaded);
  }

 private:
  struct Game {
    Position<Words> position;
    std::int32_t last;
    bool can_swap;
    bool fresh = true;  // no move yet, and not loaded from a packed position
  };

  bool is_legal(const Game& game, std::int32_t action) const {
    if (action == cells()) return game.can_swap;
    if (action < 0 || action > cells()) return false;
    return !game.position.stones(kBlack).test(action) && !game.position.stones(kWhite).test(action);
  }

  std::string complaint(std::int64_t game, std::int32_t action) const {
    const auto where = "action " + std::to_string(action) + " in game " + std::to_string(game);
    if (action == cells())
      return where + " is illegal: swap-pieces is only possible as White's first move, where the rule is on";
    if (action < 0 || action > cells()) {
      return where + " is out of range: actions run from 0 to " + std::to_string(cells());
    }
    return where + " is illegal: cell " + cell_name(action, width()) + " is occupied";
  }

  void write_planes(const Game& game, bool* out) const {
    const auto turn = game.position.turn();
    const auto& own = game.position.stones(turn);
    const auto& theirs = game.position.stones(other(turn));
    // A cell is four bytes, so one 32-bit word; the compiler turns the inner loop into vector shifts.
    const auto constant = std::uint32_t(turn == kWhite) << 16 | std::uint32_t(game.can_swap) << 24;
    const auto block = [&](int cell, int count) {
      const auto word = std::size_t(cell) / 64;
      const auto mine = std::uint32_t(own.word[word] >> (cell & 63));
      const auto yours = std::uint32_t(theirs.word[word] >> (cell & 63));
      std::array<std::uint32_t, 32> planes;
      for (unsigned i = 0; i < 32; ++i) planes[i] = constant | ((mine >> i) & 1) | (((yours >> i) & 1) << 8);
      std::memcpy(out + 4 * cell, planes.data(), 4 * std::size_t(count));
    };
    int cell = 0;
    for (; cell + 32 <= cells(); cell += 32) block(cell, 32);
    if (cell < cells()) block(cell, cells() - cell);
  }

  void write_legal(const Game& game, bool* out) const {
    spread(game.position.empty(), cells(), out);
    out[cells()] = game.can_swap;
  }

  Game start_;
  bool swap_;
  std::vector<Game> games_;
  Threads threads_;
};

}  // namespace

std::unique_ptr<Batch> Batch::make(int width, int height, std::int64_t count, bool swap, int threads) {
  check_games(width, height, count, threads);
  if (swap && width != height) {
    throw std::invalid_argument("swap-pieces needs a square board: this one is " + size_name(width, height));
  }
  return with_words(width * height, [&]<int Words>() -> std::unique_ptr<Batch> {
    return std::make_unique<SizedBatch<Words>>(width, height, count, swap, threads);
  });
}

}  // namespace fingal
