// What connections say along a game: who wins and with which move, or which moves are worth trying.
#pragma once

#include <algorithm>

#include "inferior.hpp"
#include "moving_connections.hpp"
#include "tree.hpp"

namespace fingal {

template <int Words>
struct GameVerdict {
  Proof proof = kUnknown;  // for the side to move
  Move winning = -1;       // a move that wins, when it is won
  Bits<Words> moves;       // those worth trying; all of them when the game is decided
};

// Unlike a node of a tree, which is asked about once, a game goes on from what was found for its last position, with
// the cells filled in that make no difference. So a position costs what its last moves have changed. Once somebody is
// known to win, only the cells that this takes are looked at, as if all others were the opponent's.
template <int Words>
class GameKnowledge {
 public:
  using Set = Bits<Words>;

  // Where small questions are answered; it belongs to nobody, and a thread can use one for all its games.
  struct Room {
    explicit Room(const Geometry<Words>& g, const ConnectionLimits& limits = {})
        : connections{{{g, kBlack, limits}, {g, kWhite, limits}}} {}
    std::array<Connections<Words>, 2> connections;
  };

  explicit GameKnowledge(const Geometry<Words>& g, const ConnectionLimits& limits = {}) : connections_(g, limits) {
    begin();
  }

  // Goes to the empty board: from there every position is reached by updates alone, and undoing them leads back. So
  // what is found depends on the game, not on those before it.
  void begin() {
    for (const auto colour : {kBlack, kWhite}) connections_.at(colour, {}, {});
    forget();
  }

  // The side to move does not play the winning move that it was told: nobody is known to win.
  void forget() { winner_ = kNobody; }

  int winner() const { return winner_; }

  // Of the game's position, which must not be over and in which no move ends the game at once.
  GameVerdict<Words> judge(const Position<Words>& position, Room& room) {
    const auto mover = position.turn();
    GameVerdict<Words> verdict{kUnknown, -1, position.empty()};
    if (winner_ == other(mover)) {
      verdict.proof = kLost;
      return verdict;
    }
    if (winner_ == mover) {
      // Without fill-in, a win leads to the end sooner.
      for (const auto& cells : {needed_ & position.empty(), position.empty()}) {
        if (verdict.winning < 0) verdict.winning = within(position, cells, room);
      }
    }
    if (verdict.winning < 0) search(position, verdict);
    if (verdict.winning >= 0) verdict.proof = kWon;
    winner_ = verdict.proof == kUnknown ? kNobody : verdict.proof == kWon ? mover : other(mover);
    return verdict;
  }

 private:
  using Stones = typename MovingConnections<Words>::Stones;

  // A move that wins with these empty cells alone; -1 where none is found.
  Move within(const Position<Words>& position, const Set& cells, Room& room) {
    const auto mover = position.turn();
    const auto& own = position.stones(mover);
    auto& connections = room.connections[mover];
    connections.build(own, position.geometry().all - (own | cells));
    return winning_move(connections);
  }

  void search(const Position<Words>& position, GameVerdict<Words>& verdict) {
    const auto mover = position.turn();
    const auto inferior = compute_inferior(position, mover, {false, true});
    const auto fill = inferior.fill[kBlack] | inferior.fill[kWhite];
    auto filled = position;
    Stones stones;
    for (const auto colour : {kBlack, kWhite}) {
      inferior.fill[colour].for_each([&](int cell) {
        if (!filled.over()) filled.place(cell, colour);
      });
      stones[colour] = position.stones(colour) | inferior.fill[colour];
    }
    if (filled.over()) {
      needed_ = fill;
      // Won whoever moves: a stone more does no harm.
      if (filled.winner() == mover) verdict.winning = Move(inferior.fill[mover].lowest());
      if (filled.winner() != mover) verdict.proof = kLost;
      return;
    }
    verdict.winning = winning_move(connections_.at(mover, stones, stones));
    needed_ |= fill;
    if (verdict.winning >= 0) return;
    const auto& theirs = connections_.at(other(mover), stones, stones);
    if (theirs.won()) {
      needed_ = theirs.smallest_win() | fill;
      verdict.proof = kLost;
      return;
    }
    const auto moves = must_play(theirs, filled.empty()) - inferior.pruned;
    if (moves.any()) {
      verdict.moves = moves;
    } else {
      needed_ = position.empty();
      verdict.proof = kLost;
    }
  }

  // A move after which the edges are joined, with few cells, which are then noted as needed; -1 where there is none.
  Move winning_move(Connections<Words>& own) {
    Set cells;
    if (own.won()) cells = own.smallest_win();
    for (const auto& semi : own.winning_semis()) cells |= semi;
    // Most often a cell that both edges are joined to, with nothing in common.
    Move best = -1;
    int fewest = 2 * kMaxCells + 1;
    cells.for_each([&](int cell) {
      for (const auto& a : own.full(own.first_edge(), cell)) {
        for (const auto& b : own.full(own.second_edge(), cell)) {
          if (a.intersects(b) || a.count() + b.count() >= fewest) continue;
          fewest = a.count() + b.count();
          best = Move(cell);
          needed_ = a | b;
        }
      }
    });
    if (best >= 0) return best;
    if (own.won()) {
      needed_ = own.smallest_win();
      return Move(needed_.lowest());
    }
    if (!cells.any()) return -1;
    const auto& semis = own.winning_semis();
    const auto smallest =
        *std::min_element(semis.begin(), semis.end(), [](const Set& a, const Set& b) { return a.count() < b.count(); });
    smallest.for_each([&](int cell) {
      if (best >= 0) return;
      own.update(Set::of(cell), {});
      if (own.won()) {
        best = Move(cell);
        needed_ = own.smallest_win();
      }
      own.undo();
    });
    return best;
  }

  MovingConnections<Words> connections_;
  int winner_ = kNobody;
  Set needed_{};  // the cells with which the winner wins, as far as is known
};

}  // namespace fingal
