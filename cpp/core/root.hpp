// What sets the root apart: noise, Gumbel's schedule, and the move that is played in the end.
#pragma once

#include <vector>

#include "choice.hpp"
#include "random.hpp"

namespace fingal {

class Root {
 public:
  // So many edges need no more memory later.
  void make_room(std::size_t edges);
  // A root with edges, and no noise.
  void set(const Tree& tree);
  // The same before a search of `planned` simulations, with the noise that the settings ask for. The visits that the
  // root has already are not counted by Gumbel's schedule.
  void begin(const Tree& tree, const SearchSettings& settings, int planned, Random& random);

  // Whether the simulation, counted from 0, is the first after one of Gumbel's halvings.
  bool halves_at(int simulation) const;
  // The edge that a simulation, counted from 0, begins with.
  std::int32_t choose(const Tree& tree, const SearchSettings& settings, int simulation) const;
  // The edge to play: a proven win; or what sequential halving left; or the most visited, the best value first.
  std::int32_t best_edge(const Tree& tree, const SearchSettings& settings) const;
  // Gumbel MuZero's improved policy over the edges, softmax(logits + sigma(completed q)): proven losses get nothing
  // while something else is left, a proven win gets all.
  std::vector<float> improved_policy(const Tree& tree, const SearchSettings& settings) const;
  // How much the choice matters: the best value of a move that was looked at, less their mean; from 0 to 2.
  float stakes(const Tree& tree) const;

 private:
  float visits_since(const Tree& tree, std::size_t i) const {
    return tree.visits[std::size_t(tree.first_edge[0]) + i] - before_[i];
  }

  // All by edge of the root.
  std::vector<float> prior_;   // with Dirichlet noise
  std::vector<float> logit_;   // the logarithm of the net's prior: its logits less a constant, which changes no choice
  std::vector<float> gumbel_;  // Gumbel noise
  std::vector<float> before_;  // the visits before the search
  std::vector<int> schedule_;
  std::vector<int> halvings_;
};

// A gamma variate of any shape above 0 (Marsaglia and Tsang 2000), for Dirichlet noise.
float gamma_variate(float shape, Random& random);

}  // namespace fingal
