// The one search tree: nodes and edges as arrays. Values and proofs are in the view of the side to move at the node.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "position.hpp"

namespace fingal {

enum Proof : std::int8_t { kLost = -1, kUnknown = 0, kWon = 1 };

class Tree {
 public:
  static constexpr std::int32_t kNowhere = -1;

  // `rave`: whether edges count all moves as first.
  explicit Tree(bool rave = false) : rave_(rave) {}

  // Nodes, by index; the root is node 0, and parents stand before their children.
  std::vector<std::int32_t> first_edge;
  std::vector<std::int32_t> edge_count;   // 0: not expanded
  std::vector<std::int32_t> parent;       // kNowhere for the root, as is
  std::vector<std::int32_t> parent_edge;  // the edge that leads here
  std::vector<float> total_visits;        // the sum over the node's edges
  std::vector<float> total_value;         // the same of value_sum
  std::vector<float> tried_prior;         // the sum of the priors of the edges with visits
  std::vector<float> net_value;           // of the expanded
  std::vector<Proof> proof;
  std::vector<std::uint8_t> asked;      // whether its connections have been asked for
  std::vector<std::int32_t> fill;       // the number, from 1, of what is filled in from here on; 0: nothing
  std::vector<std::uint8_t> net_prior;  // whether its priors are a net's, where a search has two kinds

  // Edges, by index; those of one node stand together.
  std::vector<std::int32_t> child;  // kNowhere: never tried
  std::vector<Move> move;
  std::vector<float> prior;
  std::vector<float> visits;      // those under way included
  std::vector<float> value_sum;   // a visit under way counts as a loss
  std::vector<Proof> edge_proof;  // what the move does for the side that makes it
  // Only with `rave`: the games through the node in which the side to move played the move, at whatever time.
  std::vector<float> rave_visits;
  std::vector<float> rave_sum;
  // Only with `rave`: the value, for the side that makes the move, when the best reply to it is made; beyond 1 where
  // no reply has been tried often enough. Kept by back_up_replies.
  static constexpr float kNoReply = 2.0F;
  std::vector<float> reply_value;

  int nodes() const { return int(proof.size()); }
  int edges() const { return int(move.size()); }

  // Nothing is left but the memory, which the next search uses again.
  void clear() { resize(0, 0); }
  // These two throw std::bad_alloc, and have then changed nothing, when memory runs out or there are 2^31 edges.
  std::int32_t add_node(std::int32_t above, std::int32_t edge);
  // Gives a node its edges; `logits` belong to `moves`. The priors are their softmax.
  void expand(std::int32_t node, std::span<const Move> moves, std::span<const float> logits, float value);
  // After a node got its edges again: what the `count` edges from `first` on, which were its own, knew of the same
  // moves.
  void take_over(std::int32_t node, std::int32_t first, std::int32_t count);
  // Gives a node other priors: the softmax of these, which belong to its edges.
  void renew_priors(std::int32_t node, std::span<const float> logits);

  void begin_visit(std::int32_t node, std::int32_t edge);
  // Takes back the visits under way on the path from the root to `node`.
  void cancel(std::int32_t node);
  // The same, and the node, which has no edges, is no longer there for its parent.
  void drop(std::int32_t node);
  // Ends the visits on the path to `node`, whose side to move has `value`, and proves what follows from its proof.
  void back_up(std::int32_t node, float value);
  // After back_up: renews reply_value on the path to `node`. A reply counts that is known to win, or has so
  // many visits and is not ruled out: that some replies are bad says nothing of the others.
  void back_up_replies(std::int32_t node, float least_visits);

  // An edge's value for the side that makes the move: proven, or the mean of its visits, or `otherwise`.
  float edge_value(std::int32_t edge, float otherwise) const {
    const auto e = std::size_t(edge);
    if (edge_proof[e] != kUnknown) return float(edge_proof[e]);
    return visits[e] > 0 ? value_sum[e] / visits[e] : otherwise;
  }
  // The node's value for the side to move there: proven, or the mean of its visits and the net's own word.
  float value(std::int32_t node) const;

  // Makes the child at the end of a root edge the root, keeping all below it. No visit may be under way.
  void move_root(std::int32_t edge);

  // A node's part of an array over edges.
  template <class T>
  std::span<const T> of(const std::vector<T>& array, std::int32_t node) const {
    return {array.data() + first_edge[std::size_t(node)], std::size_t(edge_count[std::size_t(node)])};
  }

 private:
  void resize(std::size_t nodes, std::size_t edges);
  void make_room(std::size_t nodes, std::size_t edges);
  template <class F>
  void for_each_node_array(F&& f) {
    f(first_edge), f(edge_count), f(parent), f(parent_edge), f(total_visits), f(total_value), f(tried_prior);
    f(net_value), f(proof), f(asked), f(fill), f(net_prior);
  }
  template <class F>
  void for_each_edge_array(F&& f) {
    f(child), f(move), f(prior), f(visits), f(value_sum), f(edge_proof);
    if (rave_) f(rave_visits), f(rave_sum), f(reply_value);
  }

  bool rave_;
  std::size_t room_for_nodes_ = 0;  // in every array, so that they grow together or not at all
  std::size_t room_for_edges_ = 0;
};

}  // namespace fingal
