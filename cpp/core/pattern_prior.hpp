// How likely each move is to be the best, before any search: patterns, the last move, and electric currents.
#pragma once

#include "pattern_playout.hpp"
#include "resistance.hpp"

namespace fingal {

// What was learned, for priors and for playouts.
struct PatternModel {
  PatternScores prior;
  PlayoutWeights playout;
};

// Which of kEnergyBins bins, each a factor of 2^(1 / 1.2) wide, a share of a circuit's energy belongs to.
inline int energy_bin(double share) {
  return std::clamp(int(std::floor((std::log2(share + 1e-6) + 10) * 1.2)), 0, kEnergyBins - 1);
}

// What is known of a move, in numbers that scores belong to, in the view of the side to move.
struct MoveFeatures {
  int pattern;
  int reply;   // place * kRingPatterns + ring, when the last move stands around the cell; otherwise -1
  int energy;  // energy_bin of the own share * kEnergyBins + that of the opponent's
};

template <int Words>
class PatternPrior {
 public:
  explicit PatternPrior(const Geometry<Words>& g) : circuits_{Circuit<Words>(g), Circuit<Words>(g)} {}

  // Looks at the empty cells of a position whose last move was on `last` (or -1: nowhere), for the side to move.
  void look(const Position<Words>& position, const PatternBoard<Words>& patterns, int last) {
    const auto mover = position.turn();
    const auto empty = position.empty();
    for (const auto colour : {kBlack, kWhite}) {
      circuits_[colour].measure(colour, position.stones(colour), position.stones(other(colour)));
    }
    const auto own = circuits_[mover].energy(), theirs = circuits_[other(mover)].energy();
    empty.for_each([&](int cell) {
      const auto c = std::size_t(cell);
      const int pattern = patterns.pattern(cell);
      const int energy = energy_bin(own[c]) * kEnergyBins + energy_bin(theirs[c]);
      features_[c] = {mover == kBlack ? pattern : mirrored_patterns()[std::size_t(pattern)], -1, energy};
    });
    if (last < 0) return;
    const auto& places = patterns.around().at[std::size_t(last)];
    for (std::size_t i = 0; i < kAround; ++i) {
      const int cell = places[i];
      if (cell == kNowhereAround || !empty.test(cell)) continue;
      const int place = opposite_place(int(i));
      auto& found = features_[std::size_t(cell)];
      found.reply =
          (mover == kBlack ? place : kMirrored[std::size_t(place)]) * kRingPatterns + found.pattern % kRingPatterns;
    }
  }

  // Of an empty cell, after look().
  const MoveFeatures& features(int cell) const { return features_[std::size_t(cell)]; }
  float logit(int cell, const PatternScores& scores) const {
    const auto& [pattern, reply, energy] = features(cell);
    return scores.pattern[std::size_t(pattern)] + scores.energy[std::size_t(energy)] +
           (reply < 0 ? 0 : scores.reply[std::size_t(reply)]);
  }

 private:
  std::array<Circuit<Words>, 2> circuits_;
  std::array<MoveFeatures, 64 * Words> features_{};
};

// The features of every empty cell's move, [b, cells] each, -1 elsewhere; of positions with stones [2, b, words],
// white_to_move [b] and last [b]. Throws std::invalid_argument when stones lie on each other or off the board.
void pattern_features(int width, int height, std::span<const std::uint64_t> stones, std::span<const bool> white_to_move,
                      std::span<const std::int32_t> last, std::span<std::int32_t> pattern,
                      std::span<std::int32_t> reply, std::span<std::int32_t> energy);

}  // namespace fingal
