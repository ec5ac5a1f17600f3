// Every formula that chooses a move in a tree, once. Values are in [-1, 1] from the view of the side that chooses.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
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

// sigma(q) of Gumbel MuZero (Danihelka et al. 2022, eq. 8): (c_visit + max visits) * c_scale * q.
inline float sigma(float q, float max_visits, float c_visit, float c_scale) {
  return (c_visit + max_visits) * c_scale * q;
}

// v_mix (same paper, eq. 33): (v + N * (sum of p q over the visited) / (sum of p over the visited)) / (1 + N).
inline float mixed_value(float net_value, float total_visits, float visited_prior, float visited_prior_q) {
  if (total_visits <= 0 || visited_prior <= 0) return net_value;
  return (net_value + total_visits * visited_prior_q / visited_prior) / (1 + total_visits);
}

// Sequential halving as a table: how many visits the moves under consideration have when simulation i is made.
inline std::vector<int> considered_visits(int considered, int simulations) {
  std::vector<int> sequence;
  if (considered <= 1) {
    for (int i = 0; i < simulations; ++i) sequence.push_back(i);
    return sequence;
  }
  const int rounds = int(std::ceil(std::log2(double(considered))));
  int visits = 0;
  for (int left = considered; int(sequence.size()) < simulations; left = std::max(2, left / 2)) {
    const int extra = std::max(1, simulations / (rounds * left));
    for (int i = 0; i < extra; ++i) {
      sequence.insert(sequence.end(), std::size_t(left), visits);
      ++visits;
    }
  }
  sequence.resize(std::size_t(simulations));
  return sequence;
}

// exp(x) for x <= 0 to a relative error of 3e-7, in a form that the compiler can put into vector registers.
inline float exp_below_zero(float x) {
  const float y = std::max(x, -87.0F) * 1.44269504F;  // 2^y
  const auto whole = std::int32_t(y - 0.5F);          // rounds to the nearest, as y <= 0
  const float f = (y - float(whole)) * 0.693147181F;  // in [-0.35, 0.35]
  const float p =
      1 + f * (1 + f * (0.5F + f * (0.166666667F + f * (0.0416666667F + f * (0.00833333333F + f * 0.00138888889F)))));
  return p * std::bit_cast<float>((whole + 127) << 23);
}

// In place: exp(x - max) / sum.
inline void softmax(std::span<float> x) {
  if (x.empty()) return;
  const float top = *std::max_element(x.begin(), x.end());
  for (auto& v : x) v = exp_below_zero(v - top);
  float sum = 0;
  for (const auto v : x) sum += v;
  for (auto& v : x) v /= sum;
}

}  // namespace fingal
