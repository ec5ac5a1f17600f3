// Which edge a visit takes at a node of the tree: the formulas of selection.hpp over a node's edges.
#pragma once

#include <array>

#include "tree.hpp"

namespace fingal {

struct SearchSettings {
  bool gumbel = false;   // sequential halving at the root and completed values below, or else PUCT
  float c_init = 1.25F;  // PUCT's exploration rate: puct_rate
  float c_base = 19652.0F;
  float fpu_reduction = 0.25F;
  float c_visit = 50.0F;  // Gumbel's sigma
  float c_scale = 0.1F;
  int considered = 16;        // how many moves Gumbel's root looks at
  float gumbel_scale = 1.0F;  // 0: no noise, the strongest move
  float noise_share = 0.0F;   // how much of PUCT's root prior is Dirichlet noise
  float noise_total = 10.0F;  // the Dirichlet parameters' sum
  int connections = 0;        // a node with so many visits is asked for its connections; 0: none is
};

// How a search with playouts chooses: means of visits and of all moves as first, and priors that fade with the visits.
struct RaveSettings {
  float initial = 1.0F;  // rave_weight
  float final = 800.0F;
  float even = 8.0F;           // so many games as good as the node itself are in every all-moves-as-first value
  float bias = 5.0F;           // progressive_bias
  float c = 0.0F;              // of puct_score's term
  float fpu_reduction = 0.0F;  // first_play_urgency
  float least_reply = 0.0F;    // a move is worth what the best reply with so many visits leaves; 0: the mean
};

// Throw std::invalid_argument with the setting's name when one is not a number, or so large or small that scores would
// no longer be.
void check_settings(const SearchSettings& settings);
void check_settings(const RaveSettings& settings);

using Row = std::array<float, std::size_t(kMaxCells)>;  // one number an edge of a node

// PUCT's best edge at a node; proven losses only when there is nothing else. `priors` are the node's own, or the root's
// with noise in them.
std::int32_t choose_puct(const Tree& tree, std::int32_t node, const SearchSettings& settings,
                         std::span<const float> priors);

// The best edge by the means of visits and of all moves as first. The tree must have been made with `rave`.
std::int32_t choose_rave(const Tree& tree, std::int32_t node, const RaveSettings& settings);

// What a lost edge scores where it competes with others: less than any that is not lost, more the more visits it took
// to refute. Adding visits to a large number would lose them: floats near 1e9 are 64 apart.
inline float score_of_lost(float visits) { return -1e30F / (1 + visits); }

// The edge to play: a proven win, or the most visited, the better value first; of losses what took longest to refute.
std::int32_t most_visited(const Tree& tree, std::int32_t node);

// Below Gumbel's root, visits follow the improved policy (Danihelka et al. 2022, eq. 14).
std::int32_t choose_improved(const Tree& tree, std::int32_t node, const SearchSettings& settings);

// Per edge of a node: the value of its visits, or v_mix where there are none.
void complete_values(const Tree& tree, std::int32_t node, Row& values);

}  // namespace fingal
