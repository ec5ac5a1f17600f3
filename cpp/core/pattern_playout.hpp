// Games played out to a full board by moves drawn by the weights of their patterns.
#pragma once

#include <algorithm>

#include "patterns.hpp"
#include "position.hpp"

namespace fingal {

// The weights of a playout's moves, in whole numbers: their sums are exact, whatever the order.
class PlayoutWeights {
 public:
  // Weights are exp(sharpness * score), cut below and above, so that nothing is impossible and nothing certain.
  PlayoutWeights(const PatternScores& scores, float sharpness);

  std::array<std::uint32_t, 2> of(int pattern) const { return pattern_[std::size_t(pattern)]; }  // by colour
  // The same of a reply to a last move at a place around the cell.
  std::uint32_t of_reply(std::uint32_t weight, int ring, int place, Colour colour) const {
    const auto factor = reply_[std::size_t(place * kRingPatterns + ring)][colour];
    return std::uint32_t(std::clamp<std::uint64_t>((std::uint64_t(weight) * factor) >> kFraction, 1, kMost));
  }

 private:
  static constexpr int kFraction = 12;             // binary digits of a reply's factor
  static constexpr std::uint64_t kMost = 1 << 22;  // 361 of them are still less than 2^31

  std::vector<std::array<std::uint32_t, 2>> pattern_;
  std::vector<std::array<std::uint32_t, 2>> reply_;
};

template <int Words>
class PatternPlayout {
 public:
  using Set = Bits<Words>;

  explicit PatternPlayout(const PlayoutWeights& weights) : weights_(&weights) {}

  // Fills the board from a position that is not over, whose last move was on `last` (or -1: nowhere), the side to move
  // first. Returns Black's stones in the end.
  Set play(const Position<Words>& position, PatternBoard<Words> board, int last, Random& random) {
    const auto empty = position.empty();
    auto mover = position.turn();
    auto black = position.stones(kBlack);
    begin(empty, board);
    if (last >= 0) {
      const auto& places = board.around().at[std::size_t(last)];
      for (int place = 0; place < kAround; ++place) {
        const int cell = places[std::size_t(place)];
        if (cell != kNowhereAround && is_empty(cell)) favour(board, cell, opposite_place(place), mover);
      }
    }
    for (int left = empty.count(); left > 0; --left) {
      const int cell = draw(mover, random);
      if (mover == kBlack) black.set(cell);
      forget_favours(mover);
      set(kBlack, cell, 0);
      set(kWhite, cell, 0);
      const auto& places = board.around().at[std::size_t(cell)];
      for (int place = 0; place < kAround; ++place) {
        const int next = places[std::size_t(place)];
        if (next == kNowhereAround || !is_empty(next)) continue;
        board.see(next, opposite_place(place), mover);
        const auto weight = weights_->of(board.pattern(next));
        set(mover, next, weight[mover]);
        set(other(mover), next, weight[other(mover)]);
        favour(board, next, opposite_place(place), other(mover));
      }
      mover = other(mover);
    }
    return black;
  }

 private:
  static constexpr auto kCells = std::size_t(64 * Words);
  static constexpr std::size_t kBlock = 16;  // cells whose weights are summed up together

  struct Favoured {
    int cell;
    std::uint32_t weight;  // without the favour
  };

  bool is_empty(int cell) const { return weight_[0][std::size_t(cell)] != 0; }

  void begin(const Set& empty, const PatternBoard<Words>& board) {
    for (auto& side : weight_) side.fill(0);
    for (auto& side : block_) side.fill(0);
    total_ = {};
    favoured_count_ = 0;
    empty.for_each([&](int cell) {
      const auto weight = weights_->of(board.pattern(cell));
      for (const auto colour : {kBlack, kWhite}) {
        weight_[colour][std::size_t(cell)] = weight[colour];
        block_[colour][std::size_t(cell) / kBlock] += weight[colour];
        total_[colour] += weight[colour];
      }
    });
  }

  void set(Colour colour, int cell, std::uint32_t weight) {
    auto& now = weight_[colour][std::size_t(cell)];
    const auto more = weight - now;  // may wrap around, and then back again
    block_[colour][std::size_t(cell) / kBlock] += more;
    total_[colour] += more;
    now = weight;
  }

  // A reply to the last move has another weight, for one turn.
  void favour(const PatternBoard<Words>& board, int cell, int place, Colour mover) {
    const auto plain = weight_[mover][std::size_t(cell)];
    const auto weight = weights_->of_reply(plain, board.ring(cell), place, mover);
    favoured_[favoured_count_++] = {cell, plain};
    set(mover, cell, weight);
  }
  void forget_favours(Colour mover) {
    for (std::size_t i = 0; i < favoured_count_; ++i) set(mover, favoured_[i].cell, favoured_[i].weight);
    favoured_count_ = 0;
  }

  int draw(Colour mover, Random& random) const {
    auto left = std::uint32_t(((random() >> 32) * total_[mover]) >> 32);
    std::size_t block = 0;
    for (; left >= block_[mover][block]; ++block) left -= block_[mover][block];
    auto cell = block * kBlock;
    for (; left >= weight_[mover][cell]; ++cell) left -= weight_[mover][cell];
    return int(cell);
  }

  const PlayoutWeights* weights_;
  std::array<std::array<std::uint32_t, kCells>, 2> weight_;  // 0 where there is a stone
  std::array<std::array<std::uint32_t, kCells / kBlock>, 2> block_;
  std::array<std::uint32_t, 2> total_{};
  std::array<Favoured, kAround> favoured_;
  std::size_t favoured_count_ = 0;
};

}  // namespace fingal
