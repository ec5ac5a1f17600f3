#include "root.hpp"

#include "selection.hpp"

namespace fingal {
namespace {

float uniform(Random& random) { return (float(random() >> 40) + 0.5F) / float(1 << 24); }

}  // namespace

float gamma_variate(float shape, Random& random) {
  if (shape < 1) {
    const float larger = gamma_variate(shape + 1, random);
    return larger * std::pow(uniform(random), 1 / shape);
  }
  const float d = shape - 1.0F / 3;
  const float c = 1 / std::sqrt(9 * d);
  for (;;) {
    const float radius = std::sqrt(-2 * std::log(uniform(random)));
    const float x = radius * std::cos(6.2831853F * uniform(random));
    const float v = (1 + c * x) * (1 + c * x) * (1 + c * x);
    if (v > 0 && std::log(uniform(random)) < 0.5F * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

void Root::make_room(std::size_t edges) {
  for (auto* array : {&prior_, &logit_, &gumbel_, &before_}) array->reserve(edges);
}

void Root::set(const Tree& tree) {
  const auto priors = tree.of(tree.prior, 0);
  const auto visits = tree.of(tree.visits, 0);
  prior_.assign(priors.begin(), priors.end());
  before_.assign(visits.begin(), visits.end());
  gumbel_.assign(priors.size(), 0);
  schedule_.clear();
  halvings_.clear();
  logit_.resize(priors.size());
  for (std::size_t i = 0; i < priors.size(); ++i) logit_[i] = prior_logit(priors[i]);
}

void Root::begin(const Tree& tree, const SearchSettings& settings, int planned, Random& random) {
  set(tree);
  const auto count = prior_.size();
  if (settings.gumbel) {
    for (auto& g : gumbel_) g = -settings.gumbel_scale * std::log(-std::log(uniform(random)));
    schedule_ = considered_visits(std::min(settings.considered, int(count)), planned);
    halvings_ = halvings(schedule_);
  } else if (settings.noise_share > 0 && count > 1) {
    std::vector<float> noise(count);
    float total = 0;
    for (auto& x : noise) total += x = gamma_variate(settings.noise_total / float(count), random) + 1e-20F;
    for (std::size_t i = 0; i < count; ++i) prior_[i] += settings.noise_share * (noise[i] / total - prior_[i]);
  }
}

bool Root::halves_at(int simulation) const {
  return std::find(halvings_.begin(), halvings_.end(), simulation) != halvings_.end();
}

std::int32_t Root::choose(const Tree& tree, const SearchSettings& settings, int simulation) const {
  if (!settings.gumbel) return choose_puct(tree, 0, settings, prior_);
  const auto first = tree.first_edge[0];
  Row completed;
  complete_values(tree, 0, completed);
  const float most = largest(tree.of(tree.visits, 0));
  float wanted = 0;
  if (std::size_t(simulation) < schedule_.size()) {
    wanted = float(schedule_[std::size_t(simulation)]);
  } else {  // past the plan, go on as if the last round never ended
    for (std::size_t i = 0; i < prior_.size(); ++i) wanted = std::max(wanted, visits_since(tree, i));
  }
  auto best = first;
  float best_score = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < prior_.size(); ++i) {
    if (tree.edge_proof[std::size_t(first) + i] == kLost) continue;
    float score = gumbel_[i] + logit_[i] + sigma(completed[i], most, settings.c_visit, settings.c_scale);
    if (visits_since(tree, i) != wanted) score -= 1e6F;  // proofs can leave too few moves with the wanted visits
    if (score > best_score) {
      best_score = score;
      best = first + std::int32_t(i);
    }
  }
  return best;
}

std::int32_t Root::best_edge(const Tree& tree, const SearchSettings& settings) const {
  if (!settings.gumbel) return most_visited(tree, 0);
  const auto first = tree.first_edge[0];
  const auto proofs = tree.of(tree.edge_proof, 0);
  const auto visits = tree.of(tree.visits, 0);
  const float most = largest(visits);
  float most_since = 0;
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    if (proofs[i] != kLost) most_since = std::max(most_since, visits_since(tree, i));
  }
  Row completed{};
  complete_values(tree, 0, completed);
  std::size_t best = 0;
  float best_score = -std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    if (proofs[i] == kWon) return first + std::int32_t(i);
    const float since = visits_since(tree, i);
    const float score = proofs[i] == kLost ? score_of_lost(visits[i])
                        : since < most_since
                            ? -1e6F + since
                            : gumbel_[i] + logit_[i] + sigma(completed[i], most, settings.c_visit, settings.c_scale);
    if (score > best_score) {
      best_score = score;
      best = i;
    }
  }
  return first + std::int32_t(best);
}

std::vector<float> Root::improved_policy(const Tree& tree, const SearchSettings& settings) const {
  const auto proofs = tree.of(tree.edge_proof, 0);
  const float most = largest(tree.of(tree.visits, 0));
  const bool won = std::find(proofs.begin(), proofs.end(), kWon) != proofs.end();
  Row completed;
  complete_values(tree, 0, completed);
  std::vector<float> policy(proofs.size());
  for (std::size_t i = 0; i < policy.size(); ++i) {
    policy[i] = logit_[i] + sigma(completed[i], most, settings.c_visit, settings.c_scale);
    if (proofs[i] == kLost || (won && proofs[i] != kWon)) policy[i] -= 1e4F;
  }
  softmax(policy);
  return policy;
}

float Root::stakes(const Tree& tree) const {
  const auto first = tree.first_edge[0];
  float best = -1, sum = 0;
  int looked_at = 0;
  for (std::int32_t i = 0; i < tree.edge_count[0]; ++i) {
    const auto edge = std::size_t(first + i);
    if (tree.visits[edge] == 0 && tree.edge_proof[edge] == kUnknown) continue;
    const float value = tree.edge_value(first + i, 0);
    best = std::max(best, value);
    sum += value;
    ++looked_at;
  }
  return looked_at > 0 ? best - sum / float(looked_at) : 0;
}

}  // namespace fingal
