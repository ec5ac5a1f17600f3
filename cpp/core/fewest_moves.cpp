#include "fewest_moves.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace fingal {
namespace {

struct OutOfNodes {};

// One question after the other about positions of one game. Everything that wins, wins within a set of cells whatever
// lies outside of it, its carrier: a reply outside is no reply.
template <int Words>
class Ender {
 public:
  using Set = Bits<Words>;

  Ender(const Geometry<Words>& g, Colour winner, std::int64_t nodes)
      : g_(g), winner_(winner), left_(std::max(nodes, std::int64_t(0))) {}

  // Whether the winner, who is to move, can win with at most `moves` moves; the first of them and the carrier.
  bool wins(const Position<Words>& position, int moves, Move& first, Set& carrier) {
    if (left_-- <= 0) throw OutOfNodes();
    const auto now = position.winning_cells(winner_);
    if (now.any()) {
      first = Move(now.lowest());
      carrier = Set::of(now.lowest());
      return true;
    }
    if (moves <= 1) return false;
    auto& known = known_[position.hash()];
    if (known.yes != 0 && known.yes <= moves) {
      first = known.first;
      carrier = known.carrier;
      return true;
    }
    if (known.no >= moves) return false;
    auto candidates = within(position, winner_, moves);
    if (candidates.any()) candidates |= within(position, other(winner_), moves - 1);
    const auto threats = position.winning_cells(other(winner_));
    if (threats.any()) candidates &= threats.count() == 1 ? threats : Set();
    // What lies on the shorter ways first.
    for (int length = 1; length <= moves && candidates.any(); ++length) {
      auto some = length == moves ? candidates : candidates & within(position, winner_, length);
      candidates = candidates - some;
      for (; some.any(); some.reset(some.lowest())) {
        auto after = position;
        after.play(some.lowest());
        Set needed;
        if (!holds(after, moves - 1, needed)) continue;
        needed.set(some.lowest());
        known_[position.hash()] = {moves, moves - 1, Move(some.lowest()), needed};
        first = Move(some.lowest());
        carrier = needed;
        return true;
      }
    }
    known_[position.hash()].no = moves;
    return false;
  }

  // Whether the winner wins with at most `moves` moves when the other is to move.
  bool holds(const Position<Words>& position, int moves, Set& carrier) {
    if (position.winning_cells(other(winner_)).any() || moves == 0) return false;
    const auto threats = position.winning_cells(winner_);
    carrier = {};
    if (threats.count() > 1) {
      carrier.set(threats.lowest());
      carrier.set((threats - carrier).lowest());
      return true;
    }
    if (moves == 1) return false;
    carrier = threats;
    auto replies = threats.any() ? threats : position.empty();
    for (int reply = likely(position, replies, moves); reply >= 0; reply = replies.lowest()) {
      Set needed;
      if (!refutes(position, reply, moves, needed)) return false;
      carrier |= needed;
      replies &= needed;
      replies.reset(reply);
      if (!replies.any()) break;
    }
    return true;
  }

  // Whether the winner wins with at most `moves` moves after this one of the other; not when that ends the game.
  bool refutes(const Position<Words>& position, int reply, int moves, Set& carrier) {
    auto after = position;
    after.play(reply);
    Move first = -1;
    return !after.over() && wins(after, moves, first, carrier);
  }

 private:
  struct Known {
    int yes = 0;  // it wins with so many moves, 0: not known
    int no = 0;   // and not with so many
    Move first = -1;
    Set carrier;
  };

  // The empty cells on ways of at most `most` cells that the colour has yet to take.
  Set within(const Position<Words>& position, Colour colour, int most) const {
    if (most < 1) return {};
    const auto& own = position.stones(colour);
    const auto empty = position.empty();
    std::array<std::vector<Set>, 2> layers;  // by edge: the cells that are the n-th to be taken, coming from there
    for (std::size_t side = 0; side < 2; ++side) {
      auto reached = flood(g_.edge[colour][side] & own, own);
      auto front = (g_.edge[colour][side] | g_.dilate(reached)) & empty;
      Set taken;
      for (int n = 1; n <= most && front.any(); ++n) {
        layers[side].push_back(front);
        taken |= front;
        reached = flood((g_.dilate(front) & own) | reached, own);
        front = (g_.dilate(front | reached) & empty) - taken;
      }
    }
    Set found;
    for (std::size_t i = 0; i < layers[0].size(); ++i) {
      for (std::size_t j = 0; j < layers[1].size() && i + j < std::size_t(most); ++j) {
        found |= layers[0][i] & layers[1][j];
      }
    }
    return found;
  }

  Set flood(Set from, const Set& through) const {
    for (Set next; (next = g_.dilate(from) & through) != from; from = next) {
    }
    return from;
  }

  // A reply to begin with: in the middle of what the winner needs.
  int likely(const Position<Words>& position, const Set& replies, int moves) const {
    for (int length = 1; length <= moves; ++length) {
      const auto some = within(position, winner_, length) & replies;
      if (some.any()) return some.select(some.count() / 2);
    }
    return replies.any() ? replies.lowest() : -1;
  }

  const Geometry<Words>& g_;
  Colour winner_;
  std::int64_t left_;
  std::unordered_map<std::uint64_t, Known> known_;
};

void check(const Board& board) {
  if (board.winner() != kNobody) throw std::invalid_argument("the game is over: there is no move to make");
}

}  // namespace

Ending fewest_moves(const Board& board, std::int64_t nodes) {
  check(board);
  return with_words(board.cells(), [&]<int Words>() -> Ending {
    const auto position = position_of<Words>(board);
    Ender<Words> ender(position.geometry(), position.turn(), nodes);
    const int most = (position.empty().count() + 1) / 2;
    try {
      for (int moves = 1; moves <= most; ++moves) {
        Move first = -1;
        Bits<Words> carrier;
        if (ender.wins(position, moves, first, carrier)) return {moves, {first}};
      }
    } catch (const OutOfNodes&) {
    }
    return {};
  });
}

Ending longest_defence(const Board& board, std::int64_t nodes) {
  check(board);
  return with_words(board.cells(), [&]<int Words>() -> Ending {
    const auto position = position_of<Words>(board);
    Ender<Words> ender(position.geometry(), other(position.turn()), nodes);
    auto standing = position.empty();  // moves that the winner does not refute with fewer moves
    int moves = 1;
    try {
      for (; moves <= position.empty().count(); ++moves) {
        auto untried = standing;
        Bits<Words> still;
        while (untried.any()) {
          const int move = untried.lowest();
          untried.reset(move);
          Bits<Words> carrier;
          if (ender.refutes(position, move, moves, carrier)) {
            untried &= carrier;  // its answer goes for all moves outside of the carrier
          } else {
            still.set(move);
          }
        }
        if (!still.any()) break;
        standing = still;
      }
    } catch (const OutOfNodes&) {
      moves = 0;
    }
    Ending found{moves, {}};
    standing.for_each([&](int cell) { found.first.push_back(Move(cell)); });
    return found;
  });
}

}  // namespace fingal
