// What connections say of a node of the search tree: who wins, or which moves can be left out.
#pragma once

#include <algorithm>
#include <array>

#include "inferior.hpp"
#include "moving_connections.hpp"
#include "tree.hpp"

namespace fingal {

template <int Words>
struct NodeVerdict {
  Proof proof = kUnknown;             // for the side to move
  Bits<Words> moves;                  // the must-play region, without what is filled in: all others lose
  Bits<Words> pruned;                 // moves that need not be tried, as another is as good
  Move winning = -1;                  // at the root: the move that wins, when it is won
  bool cut_short = false;             // nothing is known, but with more time something may be
  std::array<Bits<Words>, 2> stones;  // by colour, with what can be filled in without changing the winner
};

template <int Words>
class NodeKnowledge {
 public:
  using Set = Bits<Words>;

  using Stones = typename MovingConnections<Words>::Stones;

  explicit NodeKnowledge(const Geometry<Words>& g) : connections_(g) {}

  // A root has to name a move: when it is won, the verdict does, and when it is lost there is no verdict, so that the
  // search chooses what is hardest to refute. `before`: stones of a position that this one and the next to be asked
  // follow from; from its connections it is not far to theirs. Not for positions that are over.
  NodeVerdict<Words> ask(const Position<Words>& position, const Stones& before, bool root) {
    auto verdict = judge(position, before, root);
    verdict.cut_short = verdict.proof == kUnknown && connections_.cut_short();
    if (!root || verdict.proof != kLost) return verdict;
    return {kUnknown, position.empty(), {}, -1, false, stones_of(position)};
  }

  // Nothing is left of what an exception may have left half done.
  void forget() { connections_.forget(); }

  // Questions that last until then are answered with what is known by then.
  void set_deadline(std::chrono::steady_clock::time_point deadline) { connections_.set_deadline(deadline); }

  static Stones stones_of(const Position<Words>& position) {
    return {position.stones(kBlack), position.stones(kWhite)};
  }

  // The same, but a lost root is said to be lost.
  NodeVerdict<Words> judge(const Position<Words>& position, const Stones& before, bool root) {
    const auto mover = position.turn();
    NodeVerdict<Words> verdict;
    verdict.moves = position.empty();
    if (root) {
      // Without fill-in, a win is seen later but leads to the end sooner.
      verdict.winning = winning_move(connections_.at(mover, before, stones_of(position)));
      if (verdict.winning >= 0) {
        verdict.proof = kWon;
        return verdict;
      }
    }
    const auto inferior = compute_inferior(position, mover, {false, true});
    auto filled = position;
    for (const auto colour : {kBlack, kWhite}) {
      inferior.fill[colour].for_each([&](int cell) {
        if (!filled.over()) filled.place(cell, colour);
      });
      verdict.stones[colour] = position.stones(colour) | inferior.fill[colour];
    }
    if (filled.over()) {
      verdict.proof = filled.winner() == mover ? kWon : kLost;
      // Won whoever moves: a stone more does no harm.
      if (verdict.proof == kWon) verdict.winning = Move(inferior.fill[mover].lowest());
      return verdict;
    }
    auto& own = connections_.at(mover, before, verdict.stones);
    if (!own.winning_semis().empty() || own.won()) {
      if (root) verdict.winning = winning_move(own);
      if (!root || verdict.winning >= 0) verdict.proof = kWon;
      return verdict;
    }
    const auto& theirs = connections_.at(other(mover), before, verdict.stones);
    if (theirs.won()) {
      verdict.proof = kLost;
      return verdict;
    }
    verdict.moves = must_play(theirs, filled.empty());
    verdict.pruned = inferior.pruned;
    if (!(verdict.moves - verdict.pruned).any()) verdict.proof = kLost;
    return verdict;
  }

 private:
  // The move after which the edges are joined with the fewest cells; -1 where there is none.
  Move winning_move(Connections<Words>& own) const {
    const auto& semis = own.winning_semis();
    Set cells;
    if (semis.empty() && !own.won()) return -1;
    if (semis.empty()) {
      cells = own.smallest_win();
    } else {
      cells = *std::min_element(semis.begin(), semis.end(),
                                [](const Set& a, const Set& b) { return a.count() < b.count(); });
    }
    Move best = -1;
    int fewest = kMaxCells + 1;
    cells.for_each([&](int cell) {
      if (own.cut_short()) return;
      own.update(Set::of(cell), {});
      if (own.won() && own.smallest_win().count() < fewest) {
        fewest = own.smallest_win().count();
        best = Move(cell);
      }
      own.undo();
    });
    return best;
  }

  MovingConnections<Words> connections_;
};

}  // namespace fingal
