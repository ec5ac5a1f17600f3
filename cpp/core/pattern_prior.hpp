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

template <int Words>
class PatternPrior {
 public:
  PatternPrior(const Geometry<Words>& g, const PatternScores& scores)
      : geometry_(&g), scores_(&scores), circuits_{Circuit<Words>(g), Circuit<Words>(g)} {}

  // Judges the empty cells of a position whose last move was on `last` (or -1: nowhere), for the side to move.
  void judge(const Position<Words>& position, const PatternBoard<Words>& patterns, int last) {
    const auto mover = position.turn();
    for (const auto colour : {kBlack, kWhite}) {
      circuits_[colour].measure(colour, position.stones(colour), position.stones(other(colour)));
    }
    const auto own = circuits_[mover].energy(), theirs = circuits_[other(mover)].energy();
    position.empty().for_each([&](int cell) {
      const auto c = std::size_t(cell);
      const int pattern = patterns.pattern(cell);
      logit_[c] = scores_->pattern[std::size_t(mover == kBlack ? pattern : mirrored_pattern(pattern))] +
                  scores_->energy[std::size_t(energy_bin(own[c]) * kEnergyBins + energy_bin(theirs[c]))];
    });
    if (last < 0) return;
    const auto& places = patterns.around().at[std::size_t(last)];
    for (std::size_t i = 0; i < kAround; ++i) {
      const int cell = places[i];
      if (cell == kNowhereAround || !position.empty().test(cell)) continue;
      auto place = opposite_place(int(i));
      auto ring = patterns.ring(cell);
      if (mover == kWhite) {
        place = kMirrored[std::size_t(place)];
        ring = mirrored_pattern(ring) % kRingPatterns;
      }
      logit_[std::size_t(cell)] += scores_->reply[std::size_t(place * kRingPatterns + ring)];
    }
  }

  float logit(int cell) const { return logit_[std::size_t(cell)]; }

 private:
  const Geometry<Words>* geometry_;
  const PatternScores* scores_;
  std::array<Circuit<Words>, 2> circuits_;
  std::array<float, 64 * Words> logit_{};
};

}  // namespace fingal
