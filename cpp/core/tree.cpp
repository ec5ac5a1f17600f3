#include "tree.hpp"

#include <algorithm>
#include <utility>

#include "selection.hpp"

namespace fingal {

void Tree::clear() {
  for (auto* array : {&first_edge, &edge_count, &parent, &parent_edge, &child}) array->clear();
  for (auto* array : {&net_value, &total_visits, &total_value, &tried_prior, &logit, &prior, &visits, &value_sum})
    array->clear();
  proof.clear();
  edge_proof.clear();
  move.clear();
}

std::int32_t Tree::add_node(std::int32_t above, std::int32_t edge) {
  first_edge.push_back(0);
  edge_count.push_back(0);
  parent.push_back(above);
  parent_edge.push_back(edge);
  total_visits.push_back(0);
  total_value.push_back(0);
  tried_prior.push_back(0);
  net_value.push_back(0);
  proof.push_back(kUnknown);
  return nodes() - 1;
}

void Tree::expand(std::int32_t node, std::span<const Move> moves, std::span<const float> logits, float value) {
  const auto n = std::size_t(node);
  const auto begin = move.size();
  const auto end = begin + moves.size();
  first_edge[n] = std::int32_t(begin);
  edge_count[n] = std::int32_t(moves.size());
  net_value[n] = value;
  child.resize(end, kNowhere);
  move.insert(move.end(), moves.begin(), moves.end());
  logit.insert(logit.end(), logits.begin(), logits.end());
  prior.insert(prior.end(), logits.begin(), logits.end());
  softmax({prior.data() + begin, moves.size()});
  visits.resize(end, 0);
  value_sum.resize(end, 0);
  edge_proof.resize(end, kUnknown);
}

void Tree::begin_visit(std::int32_t node, std::int32_t edge) {
  const auto n = std::size_t(node);
  const auto e = std::size_t(edge);
  if (visits[e] == 0) tried_prior[n] += prior[e];
  visits[e] += 1;
  value_sum[e] -= 1;
  total_visits[n] += 1;
  total_value[n] -= 1;
}

void Tree::cancel(std::int32_t node) {
  for (auto n = std::size_t(node); parent[n] != kNowhere;) {
    const auto e = std::size_t(parent_edge[n]);
    n = std::size_t(parent[n]);
    visits[e] -= 1;
    value_sum[e] += 1;
    total_visits[n] -= 1;
    total_value[n] += 1;
    if (visits[e] == 0) tried_prior[n] -= prior[e];
  }
}

void Tree::back_up(std::int32_t node, float value) {
  auto n = std::size_t(node);
  auto known = proof[n];
  while (parent[n] != kNowhere) {
    const auto e = std::size_t(parent_edge[n]);
    n = std::size_t(parent[n]);
    value = -value;
    value_sum[e] += 1 + value;
    total_value[n] += 1 + value;
    if (known == kUnknown) continue;
    edge_proof[e] = Proof(-known);
    known = kUnknown;
    if (edge_proof[e] == kWon) {
      known = kWon;
    } else {
      const auto first = edge_proof.begin() + first_edge[n];
      if (std::all_of(first, first + edge_count[n], [](Proof p) { return p == kLost; })) known = kLost;
    }
    if (known != kUnknown) {
      proof[n] = known;
      value = float(known);
    }
  }
}

float Tree::value(std::int32_t node) const {
  const auto n = std::size_t(node);
  if (proof[n] != kUnknown) return float(proof[n]);
  return (net_value[n] + total_value[n]) / (1 + total_visits[n]);
}

void Tree::move_root(std::int32_t edge) {
  const auto new_root = child[std::size_t(edge)];
  Tree kept;
  // Breadth first, so that the edges of a node stay together: old[i] is the old index of the kept node i.
  std::vector<std::int32_t> old{new_root};
  kept.add_node(kNowhere, kNowhere);
  for (std::size_t i = 0; i < old.size(); ++i) {
    const auto o = std::size_t(old[i]);
    kept.net_value[i] = net_value[o];
    kept.proof[i] = proof[o];
    kept.total_visits[i] = total_visits[o];
    kept.total_value[i] = total_value[o];
    kept.tried_prior[i] = tried_prior[o];
    kept.first_edge[i] = kept.edges();
    kept.edge_count[i] = edge_count[o];
    for (auto e = std::size_t(first_edge[o]); e < std::size_t(first_edge[o] + edge_count[o]); ++e) {
      const auto at = kept.edges();
      kept.child.push_back(kNowhere);
      kept.move.push_back(move[e]);
      kept.logit.push_back(logit[e]);
      kept.prior.push_back(prior[e]);
      kept.visits.push_back(visits[e]);
      kept.value_sum.push_back(value_sum[e]);
      kept.edge_proof.push_back(edge_proof[e]);
      if (child[e] != kNowhere) {
        kept.child.back() = kept.add_node(std::int32_t(i), at);
        old.push_back(child[e]);
      }
    }
  }
  *this = std::move(kept);
}

}  // namespace fingal
