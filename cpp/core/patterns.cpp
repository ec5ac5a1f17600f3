#include "patterns.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "cell.hpp"
#include "packed.hpp"
#include "pattern_prior.hpp"
#include "setting.hpp"

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
  constexpr float kMost = 1e6;  // of the logarithm of a weight: more than any sum of them has room for
  for (const auto* scores : {&pattern, &reply, &energy}) {
    if (!std::all_of(scores->begin(), scores->end(), [](float score) { return std::abs(score) <= kMost; })) {
      throw std::invalid_argument("scores of patterns must be finite numbers, from -1000000 to 1000000");
    }
  }
}

const std::vector<std::int32_t>& mirrored_patterns() {
  static const auto all = [] {
    std::vector<std::int32_t> result(kPatterns);
    for (int i = 0; i < kPatterns; ++i) result[std::size_t(i)] = mirrored_pattern(i);
    return result;
  }();
  return all;
}

PlayoutWeights::PlayoutWeights(const PatternScores& scores, float sharpness)
    : pattern_(kPatterns), reply_(std::size_t(kAround * kRingPatterns)) {
  check_setting("sharpness", sharpness, 0, 1e6);
  constexpr double kUnit = 256;  // the weight of a score of 0
  const auto whole = [&](float score, double unit, double most) {
    return std::uint32_t(std::clamp(std::round(unit * std::exp(double(sharpness * score))), 1.0, most));
  };
  for (std::size_t i = 0; i < kPatterns; ++i) {
    const auto weight = whole(scores.pattern[i], kUnit, double(kMost));
    pattern_[i][kBlack] = weight;
    pattern_[std::size_t(mirrored_patterns()[i])][kWhite] = weight;
  }
  for (int place = 0; place < kAround; ++place) {
    for (int ring = 0; ring < kRingPatterns; ++ring) {
      const auto here = std::size_t(place * kRingPatterns + ring);
      const auto mirrored = kMirrored[std::size_t(place)] * kRingPatterns + mirrored_pattern(ring);
      const auto factor = whole(scores.reply[here], 1 << kFraction, 1 << 30);
      reply_[here][kBlack] = factor;
      reply_[std::size_t(mirrored)][kWhite] = factor;
    }
  }
}

void pattern_features(int width, int height, std::span<const std::uint64_t> stones, std::span<const bool> white_to_move,
                      std::span<const std::int32_t> last, std::span<std::int32_t> pattern,
                      std::span<std::int32_t> reply, std::span<std::int32_t> energy) {
  check_size(width, height);
  with_words(width * height, [&]<int Words>() {
    const auto& g = geometry<Words>(width, height);
    const Surroundings<Words> around(g);
    PatternPrior<Words> prior(g);
    for (auto* const array : {&pattern, &reply, &energy}) std::fill(array->begin(), array->end(), -1);
    for (std::size_t i = 0; i < last.size(); ++i) {
      const auto side = unpacked<Words>(g, stones, last.size(), i);
      if (last[i] < -1 || last[i] >= g.cells) {
        throw std::invalid_argument("position " + std::to_string(i) + " has its last move off the board");
      }
      Position<Words> position(g);
      for (const auto colour : {kBlack, kWhite}) {
        side[colour].for_each([&](int cell) { position.place(cell, colour); });
      }
      position.set_turn(white_to_move[i] ? kWhite : kBlack);
      PatternBoard<Words> patterns(around);
      patterns.place_all(side[kBlack], side[kWhite]);
      prior.look(position, patterns, last[i]);
      position.empty().for_each([&](int cell) {
        const auto at = i * std::size_t(g.cells) + std::size_t(cell);
        const auto& found = prior.features(cell);
        pattern[at] = found.pattern;
        reply[at] = found.reply;
        energy[at] = found.energy;
      });
    }
  });
}

}  // namespace fingal
