#include "choice.hpp"

#include "selection.hpp"
#include "setting.hpp"

namespace fingal {
namespace {

constexpr float kNever = -1e9F;  // the score of what loses

// The value that edges without visits are given.
float mixed_value_at(const Tree& tree, std::int32_t node) {
  const auto n = std::size_t(node);
  const auto first = std::size_t(tree.first_edge[n]);
  const auto count = std::size_t(tree.edge_count[n]);
  float visited_prior = 0;
  float visited_prior_q = 0;
  for (auto i = first; i < first + count; ++i) {
    if (tree.visits[i] <= 0) continue;
    visited_prior += tree.prior[i];
    visited_prior_q += tree.prior[i] * tree.edge_value(std::int32_t(i), 0);
  }
  return mixed_value(tree.net_value[n], tree.total_visits[n], visited_prior, visited_prior_q);
}

// Scores are sums and products of settings, and stay far above kNever.
constexpr float kLargest = 1e6F;

}  // namespace

void check_settings(const SearchSettings& settings) {
  check_setting("c_init", settings.c_init, 0, kLargest);
  check_setting("c_base", settings.c_base, 1, 1e9);
  check_setting("fpu_reduction", settings.fpu_reduction, -kLargest, kLargest);
  check_setting("c_visit", settings.c_visit, 0, kLargest);
  check_setting("c_scale", settings.c_scale, 0, kLargest);
  check_setting("considered", settings.considered, 1, double(std::numeric_limits<int>::max()));
  check_setting("gumbel_scale", settings.gumbel_scale, 0, kLargest);
  check_setting("noise_share", settings.noise_share, 0, 1);
  check_setting("noise_total", settings.noise_total, 1e-6, kLargest);
  check_setting("connections", settings.connections, 0, double(std::numeric_limits<int>::max()));
}

void check_settings(const RaveSettings& settings) {
  check_setting("rave_initial", settings.initial, 1e-6, 1e9);
  check_setting("rave_final", settings.final, 1e-6, 1e9);
  check_setting("even", settings.even, 1e-6, 1e9);
  check_setting("bias", settings.bias, 0, kLargest);
  check_setting("c", settings.c, 0, kLargest);
  check_setting("fpu_reduction", settings.fpu_reduction, 0, kLargest);
  check_setting("least_reply", settings.least_reply, 0, double(std::numeric_limits<std::int64_t>::max()));
}

std::int32_t choose_puct(const Tree& tree, std::int32_t node, const SearchSettings& settings,
                         std::span<const float> priors) {
  const auto n = std::size_t(node);
  const auto visits = tree.of(tree.visits, node);
  const auto sums = tree.of(tree.value_sum, node);
  const auto proofs = tree.of(tree.edge_proof, node);
  const float total = tree.total_visits[n];
  const float fresh = first_play_urgency((tree.net_value[n] + tree.total_value[n]) / (1 + total),
                                         std::max(tree.tried_prior[n], 0.0F), settings.fpu_reduction);
  const float rate = puct_rate(settings.c_init, settings.c_base, total);
  const float root = std::sqrt(std::max(total, 1.0F));
  Row score;
  for (std::size_t i = 0; i < visits.size(); ++i) {  // kept free of branches, for the vector unit
    const float q = visits[i] > 0 ? sums[i] / std::max(visits[i], 1.0F) : fresh;
    const float s = puct_score(q, priors[i], visits[i], root, rate);
    score[i] = proofs[i] == kLost ? kNever : s;
  }
  return tree.first_edge[n] + std::int32_t(argmax({score.data(), visits.size()}));
}

std::int32_t choose_rave(const Tree& tree, std::int32_t node, const RaveSettings& settings) {
  const auto n = std::size_t(node);
  const auto visits = tree.of(tree.visits, node);
  const auto sums = tree.of(tree.value_sum, node);
  const auto proofs = tree.of(tree.edge_proof, node);
  const auto priors = tree.of(tree.prior, node);
  const auto rave_visits = tree.of(tree.rave_visits, node);
  const auto rave_sums = tree.of(tree.rave_sum, node);
  const auto replies = tree.of(tree.reply_value, node);
  const float best_known = settings.least_reply > 0 ? 1.0F : -Tree::kNoReply;  // of replies that count
  const float total = tree.total_visits[n];
  const float fresh = first_play_urgency((tree.net_value[n] + tree.total_value[n]) / (1 + total),
                                         std::max(tree.tried_prior[n], 0.0F), settings.fpu_reduction);
  const float root = std::sqrt(std::max(total, 1.0F));
  Row score;
  for (std::size_t i = 0; i < visits.size(); ++i) {  // kept free of branches, for the vector unit
    const float games = rave_visits[i] + settings.even;
    const float rave = (rave_sums[i] + settings.even * fresh) / games;
    const float sum = replies[i] <= best_known ? replies[i] * visits[i] : sums[i];
    const float mean = rave_mean(sum, visits[i], rave, rave_weight(games, settings.initial, settings.final));
    const float s = puct_score(mean, priors[i], visits[i], root, settings.c) +
                    progressive_bias(priors[i], visits[i], settings.bias);
    score[i] = proofs[i] == kLost ? kNever : s;
  }
  return tree.first_edge[n] + std::int32_t(argmax({score.data(), visits.size()}));
}

std::int32_t most_visited(const Tree& tree, std::int32_t node) {
  const auto first = tree.first_edge[std::size_t(node)];
  const auto proofs = tree.of(tree.edge_proof, node);
  const auto visits = tree.of(tree.visits, node);
  std::size_t best = 0;
  float best_score = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    const auto edge = first + std::int32_t(i);
    if (proofs[i] == kWon) return edge;
    const float score = proofs[i] == kLost
                            ? score_of_lost(visits[i])
                            : visits[i] + 0.5F * tree.edge_value(edge, -1) + 1e-3F * tree.prior[std::size_t(edge)];
    if (score > best_score) {
      best_score = score;
      best = i;
    }
  }
  return first + std::int32_t(best);
}

// The improved policy is p * exp(sigma(q)) over its sum, and all edges without visits share one q, so that few
// exponentials are needed.
std::int32_t choose_improved(const Tree& tree, std::int32_t node, const SearchSettings& settings) {
  const auto n = std::size_t(node);
  const auto first = tree.first_edge[n];
  const auto visits = tree.of(tree.visits, node);
  const auto priors = tree.of(tree.prior, node);
  const auto proofs = tree.of(tree.edge_proof, node);
  const auto count = visits.size();
  if (count == 1) return first;
  const float most = largest(visits);
  const auto sigma_at = [&](std::size_t i) {
    return sigma(tree.edge_value(first + std::int32_t(i), 0), most, settings.c_visit, settings.c_scale);
  };
  const float fresh = sigma(mixed_value_at(tree, node), most, settings.c_visit, settings.c_scale);
  float top = fresh;
  for (std::size_t i = 0; i < count; ++i) {
    if (visits[i] > 0 && proofs[i] != kLost) top = std::max(top, sigma_at(i));
  }
  const float fresh_factor = exp_below_zero(fresh - top);
  Row weight;
  for (std::size_t i = 0; i < count; ++i) weight[i] = priors[i] * fresh_factor;
  for (std::size_t i = 0; i < count; ++i) {
    if (proofs[i] == kLost) {
      weight[i] = 0;
    } else if (visits[i] > 0) {
      weight[i] = priors[i] * exp_below_zero(sigma_at(i) - top);
    }
  }
  const float scale = 1 / std::max(sum({weight.data(), count}), 1e-30F);
  const float share = 1 / (1 + tree.total_visits[n]);
  for (std::size_t i = 0; i < count; ++i) {
    const float score = weight[i] * scale - visits[i] * share;
    weight[i] = proofs[i] == kLost ? kNever : score;
  }
  return first + std::int32_t(argmax({weight.data(), count}));
}

void complete_values(const Tree& tree, std::int32_t node, Row& values) {
  const auto first = tree.first_edge[std::size_t(node)];
  const float mixed = mixed_value_at(tree, node);
  for (std::int32_t i = 0; i < tree.edge_count[std::size_t(node)]; ++i) {
    values[std::size_t(i)] = tree.edge_value(first + i, mixed);
  }
}

}  // namespace fingal
