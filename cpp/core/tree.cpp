#include "tree.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "selection.hpp"

namespace fingal {

void Tree::resize(std::size_t nodes, std::size_t edges) {
  for_each_node_array([&](auto& array) { array.resize(nodes); });
  for_each_edge_array([&](auto& array) { array.resize(edges); });
}

void Tree::make_room(std::size_t nodes, std::size_t edges) {
  constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
  if (nodes > kMost || edges > kMost) throw std::bad_alloc();
  if (nodes > room_for_nodes_) {
    const auto room = std::max(nodes, 2 * room_for_nodes_);
    for_each_node_array([&](auto& array) { array.reserve(room); });
    room_for_nodes_ = room;
  }
  if (edges > room_for_edges_) {
    const auto room = std::max(edges, 2 * room_for_edges_);
    for_each_edge_array([&](auto& array) { array.reserve(room); });
    room_for_edges_ = room;
  }
}

std::int32_t Tree::add_node(std::int32_t above, std::int32_t edge) {
  make_room(proof.size() + 1, 0);
  for_each_node_array([](auto& array) { array.emplace_back(); });
  parent.back() = above;
  parent_edge.back() = edge;
  return nodes() - 1;
}

void Tree::expand(std::int32_t node, std::span<const Move> moves, std::span<const float> logits, float value) {
  const auto n = std::size_t(node);
  const auto begin = move.size();
  const auto end = begin + moves.size();
  make_room(0, end);
  first_edge[n] = std::int32_t(begin);
  edge_count[n] = std::int32_t(moves.size());
  net_value[n] = value;
  child.resize(end, kNowhere);
  move.insert(move.end(), moves.begin(), moves.end());
  prior.insert(prior.end(), logits.begin(), logits.end());
  softmax({prior.data() + begin, moves.size()});
  visits.resize(end);
  value_sum.resize(end);
  edge_proof.resize(end);
  if (!rave_) return;
  rave_visits.resize(end);
  rave_sum.resize(end);
  reply_value.resize(end, kNoReply);
}

void Tree::take_over(std::int32_t node, std::int32_t first, std::int32_t count) {
  const auto n = std::size_t(node);
  const auto old_begin = move.begin() + first, old_end = old_begin + count;
  tried_prior[n] = 0;
  for (auto now = std::size_t(first_edge[n]); now < std::size_t(first_edge[n] + edge_count[n]); ++now) {
    const auto found = std::find(old_begin, old_end, move[now]);
    if (found == old_end) continue;
    const auto old = std::size_t(found - move.begin());
    visits[now] = visits[old];
    value_sum[now] = value_sum[old];
    if (rave_) {
      rave_visits[now] = rave_visits[old];
      rave_sum[now] = rave_sum[old];
      reply_value[now] = reply_value[old];
    }
    if (visits[now] > 0) tried_prior[n] += prior[now];
    const auto below = child[now] = child[old];
    if (below == kNowhere) continue;
    parent_edge[std::size_t(below)] = std::int32_t(now);
    edge_proof[now] = Proof(-proof[std::size_t(below)]);
    if (edge_proof[now] == kWon) proof[n] = kWon;
  }
}

void Tree::renew_priors(std::int32_t node, std::span<const float> logits) {
  const auto first = std::size_t(first_edge[std::size_t(node)]);
  std::copy(logits.begin(), logits.end(), prior.begin() + std::ptrdiff_t(first));
  softmax({prior.data() + first, logits.size()});
  auto& tried = tried_prior[std::size_t(node)] = 0;
  for (auto e = first; e < first + logits.size(); ++e) {
    if (visits[e] > 0) tried += prior[e];
  }
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

void Tree::drop(std::int32_t node) {
  cancel(node);
  child[std::size_t(parent_edge[std::size_t(node)])] = kNowhere;
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
      const auto proofs = of(edge_proof, std::int32_t(n));
      if (std::all_of(proofs.begin(), proofs.end(), [](Proof p) { return p == kLost; })) known = kLost;
    }
    if (known != kUnknown) {
      proof[n] = known;
      value = float(known);
    }
  }
}

void Tree::back_up_replies(std::int32_t node, float least_visits) {
  for (auto n = std::size_t(node); parent[n] != kNowhere; n = std::size_t(parent[n])) {
    float best = -kNoReply;
    for (auto e = std::size_t(first_edge[n]); e < std::size_t(first_edge[n] + edge_count[n]); ++e) {
      const bool settled = edge_proof[e] == kWon || (edge_proof[e] == kUnknown && visits[e] >= least_visits);
      const float value =
          edge_proof[e] == kUnknown && reply_value[e] <= 1 ? reply_value[e] : edge_value(std::int32_t(e), 0);
      best = settled ? std::max(best, value) : best;
    }
    reply_value[std::size_t(parent_edge[n])] = -best;
  }
}

float Tree::value(std::int32_t node) const {
  const auto n = std::size_t(node);
  if (proof[n] != kUnknown) return float(proof[n]);
  return (net_value[n] + total_value[n]) / (1 + total_visits[n]);
}

void Tree::move_root(std::int32_t edge) {
  const auto root = std::size_t(child[std::size_t(edge)]);
  std::vector<std::int32_t> now(proof.size(), kNowhere);  // the new index of each node that is kept
  std::vector<std::size_t> kept;                          // the old index of each
  for (auto n = root; n < now.size(); ++n) {
    const bool below = n > root && now[std::size_t(parent[n])] != kNowhere;
    if (n != root && (!below || child[std::size_t(parent_edge[n])] != std::int32_t(n))) continue;
    now[n] = std::int32_t(kept.size());
    kept.push_back(n);
  }
  // Everything moves towards the front, in the order in which it stands, so that nothing is overwritten too soon.
  for_each_node_array([&](auto& array) {
    for (std::size_t i = 0; i < kept.size(); ++i) array[i] = array[kept[i]];
  });
  parent[0] = parent_edge[0] = kNowhere;
  for (std::size_t i = 1; i < kept.size(); ++i) parent[i] = now[std::size_t(parent[i])];
  std::vector<std::size_t> expanded;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (edge_count[i] > 0) expanded.push_back(i);
  }
  std::sort(expanded.begin(), expanded.end(), [&](auto a, auto b) { return first_edge[a] < first_edge[b]; });
  std::ptrdiff_t end = 0;
  for (const auto n : expanded) {
    const std::ptrdiff_t from = first_edge[n];
    const std::ptrdiff_t count = edge_count[n];
    for_each_edge_array(
        [&](auto& array) { std::copy(array.begin() + from, array.begin() + from + count, array.begin() + end); });
    first_edge[n] = std::int32_t(end);
    for (auto e = end; e < end + count; ++e) {
      auto& below = child[std::size_t(e)];
      if (below == kNowhere) continue;
      below = now[std::size_t(below)];
      parent_edge[std::size_t(below)] = std::int32_t(e);
    }
    end += count;
  }
  resize(kept.size(), std::size_t(end));
}

}  // namespace fingal
