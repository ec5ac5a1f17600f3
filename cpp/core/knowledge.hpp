// What the solver knows of a position without searching: inferior cells, connections, must-play, the order of moves.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "inferior.hpp"
#include "moving_connections.hpp"
#include "proof_table.hpp"
#include "resistance_wires.hpp"

namespace fingal {

// How much each cell is worth as a move, [cells], all finite, or nothing where it does not say: stones [2][words] and
// the side to move are given. It may throw.
using MovePolicy =
    std::function<std::vector<float>(const std::array<std::vector<std::uint64_t>, 2>& stones, int to_move)>;

template <int Words>
class Knowledge {
 public:
  using Set = Bits<Words>;

  Knowledge(const Geometry<Words>& g, const ConnectionLimits& limits) : connections_(g, limits), circuit_(g) {}

  // Writes everything of an entry but its work. `before`: the stones of the position that it was reached from, with
  // what was filled in there; from its connections it is not far to those of this position. Not for positions that are
  // over.
  void look(const Position<Words>& position, const std::array<Set, 2>& before, Entry<Words>& entry) {
    const auto mover = position.turn(), opponent = other(mover);
    entry = Entry<Words>{};
    const auto inferior = compute_inferior(position, mover, {true, true});
    for (const auto colour : {kBlack, kWhite}) entry.stones[colour] = position.stones(colour) | inferior.fill[colour];
    auto filled = position;
    for (const auto colour : {kBlack, kWhite}) {
      inferior.fill[colour].for_each([&](int cell) {
        if (!filled.over()) filled.place(cell, colour);
      });
    }
    if (filled.over()) {
      entry.bounds = filled.winner() == mover ? Bounds::win() : Bounds::loss();
      return complete(position, inferior, entry);
    }
    const auto& own = connections_.at(mover, before, entry.stones);
    if (own.won() || !own.winning_semis().empty()) {
      entry.bounds = Bounds::win();
      entry.proof = own.won() ? own.smallest_win() : smallest(own.winning_semis());
      return complete(position, inferior, entry);
    }
    const auto& theirs = connections_.at(opponent, before, entry.stones);
    if (theirs.won()) {
      entry.bounds = Bounds::loss();
      entry.proof = theirs.smallest_win();
      return complete(position, inferior, entry);
    }
    const auto empty = filled.empty();
    const auto allowed = must_play(theirs, empty);
    entry.proof = support(theirs.winning_semis(), allowed, empty);
    entry.moves = allowed - inferior.pruned;
    if (!entry.moves.any()) {
      entry.bounds = Bounds::loss();
      return complete(position, inferior, entry);
    }
    order(mover, entry);
  }

  // Moves are ordered by this from now on; by currents when it is empty.
  void set_policy(const MovePolicy& policy) { policy_ = policy; }

  // Adds to a solved entry's proof the cells that its winner needs because of inferior cells.
  void complete(const Position<Words>& position, Entry<Words>& entry) const {
    complete(position, compute_inferior(position, position.turn(), {true, true}), entry);
  }

 private:
  void complete(const Position<Words>& position, const Inferior<Words>& inferior, Entry<Words>& entry) const {
    const auto winner = entry.bounds.won() ? position.turn() : other(position.turn());
    // A move that was pruned loses for a reason in its region, which must be there when the winner needs the move.
    for (bool grown = entry.bounds.lost(); grown;) {
      grown = false;
      for (const auto& claim : inferior.claims) {
        if (claim.cell < 0 || !entry.proof.test(claim.cell) || !(claim.region - entry.proof).any()) continue;
        entry.proof |= claim.region;
        grown = true;
      }
    }
    // What is captured needs its region; what is dead needs nothing.
    for (const auto& claim : inferior.claims) {
      if (claim.kind == InferiorKind::kCaptured && claim.fill[winner].any()) entry.proof |= claim.region;
    }
  }

  static Set smallest(std::span<const Set> carriers) {
    return *std::min_element(carriers.begin(), carriers.end(),
                             [](const Set& a, const Set& b) { return a.count() < b.count(); });
  }

  // The union of a few of the carriers that have no more in common than all of them.
  static Set support(std::span<const Set> carriers, const Set& common, Set left) {
    Set all;
    while (left != common) {
      const Set* best = nullptr;
      int least = 0;
      for (const auto& carrier : carriers) {
        // What still has to go counts most, then how little the carrier adds.
        const int cost = 256 * (left & carrier).count() + (carrier - all).count();
        if (!best || cost < least) best = &carrier, least = cost;
      }
      left &= *best;
      all |= *best;
    }
    return all;
  }

  void order(Colour mover, Entry<Words>& entry) {
    const auto worth = policy_ ? asked(mover, entry) : heat(entry);
    std::array<std::pair<double, int>, 64 * Words> sorted;
    std::size_t count = 0;
    entry.moves.for_each([&](int cell) { sorted[count++] = {-worth[std::size_t(cell)], cell}; });
    std::sort(sorted.begin(), sorted.begin() + std::ptrdiff_t(count));
    entry.ordered = std::uint16_t(std::min(count, kOrdered));
    for (std::size_t i = 0; i < entry.ordered; ++i) entry.order[i] = std::int16_t(sorted[i].second);
  }

  // The heat that both colours' currents make in each cell, with connections as wires. What matters to both comes
  // first, so the shares are multiplied.
  std::array<double, 64 * Words> heat(const Entry<Words>& entry) {
    constexpr double kLittle = 1e-3;  // so that a cell without current of one colour still counts for the other
    std::array<double, 64 * Words> worth;
    worth.fill(1);
    for (const auto colour : {kBlack, kWhite}) {
      wires_.clear();
      add_wires(circuit_.geometry(), connections_[colour], entry.stones[colour], wires_);
      circuit_.measure(colour, entry.stones[colour], entry.stones[other(colour)], wires_);
      const auto shares = circuit_.energy();
      for (std::size_t i = 0; i < shares.size(); ++i) worth[i] *= shares[i] + kLittle;
    }
    return worth;
  }

  std::array<double, 64 * Words> asked(Colour mover, const Entry<Words>& entry) const {
    std::array<std::vector<std::uint64_t>, 2> stones;
    for (const auto colour : {kBlack, kWhite}) {
      stones[colour].assign(entry.stones[colour].word.begin(), entry.stones[colour].word.end());
    }
    const auto scores = policy_(stones, mover);
    if (!scores.empty() && int(scores.size()) != circuit_.geometry().cells) {
      throw std::invalid_argument("the policy returned " + std::to_string(scores.size()) +
                                  " scores: one for every cell, " + std::to_string(circuit_.geometry().cells) +
                                  ", is expected");
    }
    if (!std::all_of(scores.begin(), scores.end(), [](float score) { return std::isfinite(score); })) {
      throw std::invalid_argument("the policy returned a score that is not finite");
    }
    std::array<double, 64 * Words> worth{};
    std::copy(scores.begin(), scores.end(), worth.begin());
    return worth;
  }

  MovingConnections<Words> connections_;
  Circuit<Words> circuit_;
  std::vector<Wire> wires_;
  MovePolicy policy_;
};

}  // namespace fingal
