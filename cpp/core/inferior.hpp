// Inferior cells: cells that can be filled in without changing the winner, and moves that need not be tried.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "position.hpp"

namespace fingal {

enum class InferiorKind : std::uint8_t {
  kDead,        // the region's cells make no difference: they are filled
  kCaptured,    // the region is worth the same with these cells filled, the rest of it left as it is
  kVulnerable,  // a move on `cell` is answered on `by`, and the whole region is the opponent's
  kReversible,  // a move on `cell` is answered on `by`, and the mover is no better off than before
  kDominated,   // a move on `by` is at least as good as one on `cell`
};

// One step of the reasoning. Fill-ins come first, each in the position with those before it filled in; then the moves
// that are pruned, in the position with all of them filled in.
template <int Words>
struct InferiorClaim {
  InferiorKind kind;
  int cell = -1;  // the move that is pruned; -1 for fill-ins
  int by = -1;    // the killer, reverser or dominator; -1 for fill-ins
  // Empty cells. The reason lies in them and the cells that touch them: they may be given as they are to a proof that
  // has everything else changed. All of them where the reason is that the position is symmetric.
  Bits<Words> region;
  std::array<Bits<Words>, 2> fill{};  // by colour: the cells of a fill-in's region that it gets
};

template <int Words>
struct Inferior {
  using Set = Bits<Words>;

  std::array<Set, 2> fill;                   // by colour: cells that may be given to it
  Set pruned;                                // cells that the side to move need not try; never all that are left
  std::vector<InferiorClaim<Words>> claims;  // why; only when asked for
};

struct InferiorOptions {
  bool claims = false;  // whether the reasons are wanted too
  bool prune = true;    // whether to look for moves to prune, or for fill-in alone
};

// The inferior cells of a position in which nobody has won, and `to_move` is to move. Black and white stones may hold
// cells filled in before.
//
// With the fill-in, the winner is the same, whoever is to move, and a move that wins there wins without it. If the
// side to move wins at all, one of the cells that are neither filled nor pruned wins.
template <int Words>
Inferior<Words> compute_inferior(const Geometry<Words>& g, const Bits<Words>& black, const Bits<Words>& white,
                                 Colour to_move, const InferiorOptions& options = {});

template <int Words>
Inferior<Words> compute_inferior(const Position<Words>& position, Colour to_move, const InferiorOptions& options = {}) {
  return compute_inferior(position.geometry(), position.stones(kBlack), position.stones(kWhite), to_move, options);
}

}  // namespace fingal
