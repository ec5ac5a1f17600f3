// Every formula that chooses a move in a tree, once. Values are in [-1, 1] from the view of the side that chooses.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace fingal {

// PUCT (Silver et al. 2017): q + c * p * sqrt(sum of visits) / (1 + n).
inline float puct_score(float q, float prior, float visits, float sqrt_total, float c) {
  return q + c * prior * sqrt_total / (1 + visits);
}

// AlphaZero's growing exploration rate: c_init + log((1 + total + c_base) / c_base).
inline float puct_rate(float c_init, float c_base, float total) {
  return c_init + std::log((1 + total + c_base) / c_base);
}

// First-play urgency as in Leela and KataGo: the parent's value less `reduction` times the root of the prior mass
// tried.
inline float first_play_urgency(float parent_value, float visited_prior, float reduction) {
  return parent_value - reduction * std::sqrt(visited_prior);
}

// What an all-moves-as-first value of `rave_visits` games counts beside real visits: `initial` each at first, `final`
// in all (Enzenberger and Mueller, Fuego, 2010). With initial 1 and final 1 / (4 b^2) the mean of rave_mean is Gelly
// and Silver's (2011, section 4.4): beta = n' / (n + n' + 4 n n' b^2).
inline float rave_weight(float rave_visits, float initial, float final) {
  return initial * final * rave_visits / (final + initial * rave_visits);
}

// The mean of the visits' values (by their sum) and the all-moves-as-first value, each with its weight; one of them
// must be more than 0.
inline float rave_mean(float value_sum, float visits, float rave_value, float weight) {
  return (value_sum + weight * rave_value) / (visits + weight);
}

// Progressive bias (Chaslot et al. 2008) as MoHex 2.0 has it (Huang et al. 2013): c * p / sqrt(1 + n).
inline float progressive_bias(float prior, float visits, float c) { return c * prior / std::sqrt(1 + visits); }

// sigma(q) of Gumbel MuZero (Danihelka et al. 2022, eq. 8): (c_visit + max visits) * c_scale * q.
inline float sigma(float q, float max_visits, float c_visit, float c_scale) {
  return (c_visit + max_visits) * c_scale * q;
}

// v_mix (same paper, eq. 33): (v + N * (sum of p q over the visited) / (sum of p over the visited)) / (1 + N).
inline float mixed_value(float net_value, float total_visits, float visited_prior, float visited_prior_q) {
  if (total_visits <= 0 || visited_prior <= 0) return net_value;
  return (net_value + total_visits * visited_prior_q / visited_prior) / (1 + total_visits);
}

// Throws std::invalid_argument for a number of simulations that no table is made for.
inline void check_plan(int simulations) {
  constexpr int kMost = 1 << 24;  // so long a table is still a small one
  if (simulations >= 0 && simulations <= kMost) return;
  throw std::invalid_argument("a plan of " + std::to_string(simulations) + " simulations is not possible: from 0 to " +
                              std::to_string(kMost));
}

// Sequential halving as a table: how many visits the moves under consideration have when simulation i is made.
inline std::vector<int> considered_visits(int considered, int simulations) {
  check_plan(simulations);
  std::vector<int> sequence;
  sequence.reserve(std::size_t(simulations));
  if (considered <= 1) {
    for (int i = 0; i < simulations; ++i) sequence.push_back(i);
    return sequence;
  }
  const int rounds = int(std::ceil(std::log2(double(considered))));
  int visits = 0;
  for (int left = considered; int(sequence.size()) < simulations; left = std::max(2, left / 2)) {
    const auto extra = std::max<std::int64_t>(1, simulations / (std::int64_t(rounds) * left));
    for (std::int64_t i = 0; i < extra; ++i) {
      const int missing = simulations - int(sequence.size());
      sequence.insert(sequence.end(), std::size_t(std::min(left, missing)), visits);
      ++visits;
    }
  }
  return sequence;
}

// Where in such a table fewer moves are left than before: the simulations that are the first after a halving.
inline std::vector<int> halvings(std::span<const int> sequence) {
  std::vector<int> found;
  std::size_t before = 0;  // how many moves had the visits before
  for (std::size_t i = 0, next = 0; i < sequence.size(); i = next) {
    while (next < sequence.size() && sequence[next] == sequence[i]) ++next;
    if (next - i < before) found.push_back(int(i));
    before = next - i;
  }
  return found;
}

// exp(x) for x <= 0 to a relative error of 3e-7, in a form that the compiler can put into vector registers. Below -87
// it stays at exp(-87).
inline float exp_below_zero(float x) {
  x = std::max(x, -87.0F);
  const auto whole = std::int32_t(x * 1.44269504F - 0.5F);  // of 2^y; rounds to the nearest, as y <= 0
  // The rest, in [-0.35, 0.35]: log 2 in two parts, the first with few digits, so that nothing is lost.
  const float f = (x - float(whole) * 0.693145752F) - float(whole) * 1.42860677e-6F;
  const float p =
      1 + f * (1 + f * (0.5F + f * (0.166666667F + f * (0.0416666667F + f * (0.00833333333F + f * 0.00138888889F)))));
  return p * std::bit_cast<float>((whole + 127) << 23);
}

// Floats in their order as integers: the compiler puts the maximum of integers into vector registers, that of floats
// not. Its own inverse.
inline std::int32_t as_ordered(float x) {
  const auto bits = std::bit_cast<std::int32_t>(x);
  return bits ^ ((bits >> 31) & 0x7fffffff);
}
inline float from_ordered(std::int32_t x) { return std::bit_cast<float>(x ^ ((x >> 31) & 0x7fffffff)); }

// The largest of `x`, which must not be empty; 0 is larger than -0.
inline float largest(std::span<const float> x) {
  auto top = std::numeric_limits<std::int32_t>::min();
  for (const auto v : x) top = std::max(top, as_ordered(v));
  return from_ordered(top);
}

// The index of the first of the largest.
inline std::size_t argmax(std::span<const float> x) {
  const auto top = as_ordered(largest(x));
  const auto count = std::uint32_t(x.size());
  auto at = count;
  for (std::uint32_t i = 0; i < count; ++i) at = std::min(at, as_ordered(x[i]) == top ? i : count);
  return at;
}

// The sum, in sixteen lanes on every processor: the same order of additions and so the same result.
inline float sum(std::span<const float> x) {
  std::array<float, 16> lane{};
  std::size_t i = 0;
  for (; i + 16 <= x.size(); i += 16) {
    for (std::size_t k = 0; k < 16; ++k) lane[k] += x[i + k];
  }
  for (std::size_t k = 0; i < x.size(); ++i, ++k) lane[k] += x[i];
  for (std::size_t half = 8; half > 0; half /= 2) {
    for (std::size_t k = 0; k < half; ++k) lane[k] += lane[k + half];
  }
  return lane[0];
}

// The logit of a prior, up to the constant that softmax forgets; finite for a prior of 0.
inline float prior_logit(float prior) { return std::log(std::max(prior, std::numeric_limits<float>::min())); }

// In place: exp(x - max) / sum.
inline void softmax(std::span<float> x) {
  if (x.empty()) return;
  const float top = largest(x);
  for (auto& v : x) v = exp_below_zero(v - top);
  const float scale = 1 / sum(x);
  for (auto& v : x) v *= scale;
}

}  // namespace fingal
