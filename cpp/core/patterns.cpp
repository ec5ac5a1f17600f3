#include "patterns.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "pattern_playout.hpp"

namespace fingal {

void PatternScores::check() const {
  const auto must_be = [](const char* name, std::size_t given, int right) {
    if (given != std::size_t(right)) {
      throw std::invalid_argument(std::string(name) + " has " + std::to_string(given) + " scores instead of " +
                                  std::to_string(right));
    }
  };
  must_be("pattern", pattern.size(), kPatterns);
  must_be("reply", reply.size(), kAround * kRingPatterns);
  must_be("energy", energy.size(), kEnergyBins * kEnergyBins);
}

PlayoutWeights::PlayoutWeights(const PatternScores& scores, float bridge)
    : pattern_(kPatterns), reply_(std::size_t(kAround * kRingPatterns)) {
  constexpr double kUnit = 256;  // the weight of a score of 0
  for (int i = 0; i < kPatterns; ++i) {
    const double weight = std::round(kUnit * std::exp(double(scores.pattern[std::size_t(i)])));
    const auto whole = std::uint32_t(std::clamp(weight, 1.0, double(kMost)));
    pattern_[std::size_t(i)][kBlack] = whole;
    pattern_[std::size_t(mirrored_pattern(i))][kWhite] = whole;
  }
  for (int place = 0; place < kAround; ++place) {
    for (int ring = 0; ring < kRingPatterns; ++ring) {
      double factor = std::exp(double(scores.reply[std::size_t(place * kRingPatterns + ring)]));
      if (saves_bridge(ring, place)) factor *= double(bridge);
      const double scaled = std::round(factor * (1 << kFraction));
      const auto whole = std::uint32_t(std::clamp(scaled, 1.0, double(1 << 30)));
      const auto mirrored =
          std::size_t(kMirrored[std::size_t(place)] * kRingPatterns + mirrored_pattern(ring) % kRingPatterns);
      reply_[std::size_t(place * kRingPatterns + ring)][kBlack] = whole;
      reply_[mirrored][kWhite] = whole;
    }
  }
}

}  // namespace fingal
