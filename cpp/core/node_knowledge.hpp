// What connections say of a node of the search tree: who wins, or which moves can be left out.
#pragma once

#include <algorithm>
#include <array>

#include "connections.hpp"
#include "inferior.hpp"
#include "tree.hpp"

namespace fingal {

template <int Words>
struct NodeVerdict {
  Proof proof = kUnknown;  // for the side to move
  Bits<Words> moves;       // the must-play region: all other moves lose
  Move winning = -1;       // at the root: the move that wins, when it is won
};

template <int Words>
class NodeKnowledge {
 public:
  using Set = Bits<Words>;

  explicit NodeKnowledge(const Geometry<Words>& g) : connections_{{{g, kBlack, {}}, {g, kWhite, {}}}} {}

  // Below the root, inferior cells are filled in first. A root has to name a move, so that there the stones count
  // alone. A root that is lost gets no verdict: the net chooses what is hardest to refute.
  NodeVerdict<Words> ask(const Position<Words>& position, bool root) {
    const auto mover = position.turn();
    NodeVerdict<Words> verdict;
    verdict.moves = position.empty();
    std::array<Set, 2> stones{position.stones(kBlack), position.stones(kWhite)};
    if (!root) {
      const auto inferior = compute_inferior(position, mover, {false, false});
      auto filled = position;
      for (const auto colour : {kBlack, kWhite}) {
        inferior.fill[colour].for_each([&](int cell) {
          if (!filled.over()) filled.place(cell, colour);
        });
        stones[colour] |= inferior.fill[colour];
      }
      if (filled.over()) {
        verdict.proof = filled.winner() == mover ? kWon : kLost;
        return verdict;
      }
    }
    auto& own = connections_[mover];
    own.build(stones[mover], stones[other(mover)]);
    if (!own.winning_semis().empty() || own.won()) {
      if (root) verdict.winning = winning_move(own);
      if (!root || verdict.winning >= 0) verdict.proof = kWon;
      return verdict;
    }
    auto& theirs = connections_[other(mover)];
    theirs.build(stones[other(mover)], stones[mover]);
    if (theirs.won()) {
      if (!root) verdict.proof = kLost;
      return verdict;
    }
    const auto needed = must_play(theirs, verdict.moves);
    if (needed.any()) {
      // A move into what the opponent has captured may be answered there, and then nothing has changed.
      verdict.moves = needed | (verdict.moves & stones[other(mover)]);
    } else if (!root) {
      verdict.proof = kLost;
    }
    return verdict;
  }

 private:
  // The move after which the edges are joined with the fewest cells.
  Move winning_move(Connections<Words>& own) const {
    const auto& semis = own.winning_semis();
    Set cells;
    if (semis.empty()) {
      cells = own.smallest_win();
    } else {
      cells = *std::min_element(semis.begin(), semis.end(),
                                [](const Set& a, const Set& b) { return a.count() < b.count(); });
    }
    Move best = -1;
    int fewest = kMaxCells + 1;
    cells.for_each([&](int cell) {
      own.update(Set::of(cell), {});
      if (own.won() && own.smallest_win().count() < fewest) {
        fewest = own.smallest_win().count();
        best = Move(cell);
      }
      own.undo();
    });
    return best;
  }

  std::array<Connections<Words>, 2> connections_;
};

}  // namespace fingal
