#include "board.hpp"

#include <algorithm>

#include "playout.hpp"

namespace fingal {

Board::Board(int width, int height, bool swap) : width_(width), height_(height), swap_(swap) {
  check_size(width, height);
  if (swap && width != height) {
    throw std::invalid_argument("swap-pieces needs a square board: this one is " + size_name(width, height));
  }
  with_words(cells(), [&]<int Words>() { history_ = History<Words>{Position<Words>(geometry<Words>(width, height))}; });
}

// The history is copied before the variant takes it: where copying a variant of vectors throws for want of memory,
// GCC 12's library destroys a vector that was never made.
Board::Board(const Board& other)
    : width_(other.width_), height_(other.height_), swap_(other.swap_), moves_(other.moves_) {
  std::visit([&](const auto& history) { history_ = std::decay_t<decltype(history)>(history); }, other.history_);
}

Colour Board::turn() const {
  return visit([](const auto& p) { return p.turn(); });
}

int Board::winner() const {
  return visit([](const auto& p) { return p.winner(); });
}

std::uint64_t Board::hash() const {
  return visit([](const auto& p) { return p.hash(); });
}

bool Board::can_swap() const {
  return swap_ && moves_.size() == 1 && visit([](const auto& p) {
           return !p.over() && p.turn() == kWhite && p.stones(kBlack).count() == 1 && !p.stones(kWhite).any();
         });
}

int Board::colour_at(int cell) const {
  check_cell(cell);
  return visit([&](const auto& p) {
    return p.stones(kBlack).test(cell) ? int(kBlack) : p.stones(kWhite).test(cell) ? int(kWhite) : kNobody;
  });
}

std::vector<int> Board::empty_cells() const {
  std::vector<int> result;
  visit([&](const auto& p) { p.empty().for_each([&](int cell) { result.push_back(cell); }); });
  return result;
}

void Board::check_cell(int cell) const {
  if (cell >= 0 && cell < cells()) return;
  throw std::invalid_argument("cell " + std::to_string(cell) + " is off the board: " + board_range(width_, height_) +
                              ", numbered from 0 to " + std::to_string(cells() - 1));
}

void Board::play(Move move) {
  if (winner() != kNobody) {
    throw std::invalid_argument("the game is over: " + std::string(winner() == kBlack ? "Black" : "White") +
                                " has won");
  }
  if (move == kSwap) {
    if (!can_swap()) {
      throw std::invalid_argument(swap_ ? "swap-pieces is only possible as White's first move"
                                        : "swap-pieces is not possible: this game is played without it");
    }
  } else if (colour_at(move) != kNobody) {
    throw std::invalid_argument("cell " + cell_name(move, width_) + " is occupied");
  }
  moves_.reserve(moves_.size() + 1);
  std::visit(
      [&](auto& history) {
        history.push_back(history.back());
        if (move == kSwap) {
          history.back().swap_pieces();
        } else {
          history.back().play(move);
        }
      },
      history_);
  moves_.push_back(move);
}

Move Board::undo() {
  if (moves_.empty()) throw std::out_of_range("there is no move to take back");
  std::visit([](auto& history) { history.pop_back(); }, history_);
  const auto move = moves_.back();
  moves_.pop_back();
  return move;
}

void Board::set_stone(int cell, int colour) {
  check_cell(cell);
  if (colour != kNobody) to_colour(colour);
  std::visit(
      [&](auto& history) {
        // Built anew, because taking a stone away can part what was joined.
        const auto now = history.back();
        auto next = std::decay_t<decltype(now)>(now.geometry());
        for (const auto c : {kBlack, kWhite}) {
          now.stones(c).for_each([&](int at) {
            if (at != cell) next.place(at, c);
          });
        }
        if (colour != kNobody) next.place(cell, Colour(colour));
        next.set_turn(now.turn());
        history.assign(1, next);
      },
      history_);
  moves_.clear();
}

void Board::set_turn(Colour colour) {
  std::visit([&](auto& history) { history.back().set_turn(colour); }, history_);
}

std::vector<Colour> Board::movers() const {
  std::vector<Colour> result;
  std::visit(
      [&](const auto& history) {
        for (std::size_t i = 0; i < moves_.size(); ++i) result.push_back(history[i].turn());
      },
      history_);
  return result;
}

std::vector<int> Board::winning_chain() const {
  return visit([](const auto& p) {
    std::vector<int> chain;
    if (!p.over()) return chain;
    const auto colour = Colour(p.winner());
    const auto& g = p.geometry();
    const auto& own = p.stones(colour);
    // Rings of growing distance from the first edge, then back from the far edge ring by ring.
    std::vector<std::decay_t<decltype(own)>> rings{own & g.edge[colour][0]};
    auto seen = rings.back();
    while (!rings.back().intersects(g.edge[colour][1])) {
      rings.push_back((g.dilate(rings.back()) & own) - seen);
      seen |= rings.back();
    }
    chain.push_back((rings.back() & g.edge[colour][1]).lowest());
    for (auto ring = rings.rbegin() + 1; ring != rings.rend(); ++ring) {
      chain.push_back((g.cell[std::size_t(chain.back())].neighbours & *ring).lowest());
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
  });
}

Board Board::transformed(Symmetry symmetry) const {
  const bool mirror = symmetry == Symmetry::kMirror;
  Board result(mirror ? height_ : width_, mirror ? width_ : height_, swap_);
  const auto image = [&](int cell) { return mirror ? cell % width_ * height_ + cell / width_ : cells() - 1 - cell; };
  std::visit(
      [&](auto& history) {
        auto& p = history.back();
        for (int cell = 0; cell < cells(); ++cell) {
          const int colour = colour_at(cell);
          if (colour != kNobody) p.place(image(cell), mirror ? other(Colour(colour)) : Colour(colour));
        }
        p.set_turn(mirror ? other(turn()) : turn());
      },
      result.history_);
  return result;
}

std::vector<std::uint64_t> Board::packed(Colour colour) const {
  return visit([&](const auto& p) {
    const auto& words = p.stones(colour).word;
    return std::vector<std::uint64_t>(words.begin(), words.end());
  });
}

std::vector<int> Board::start(Colour colour) const {
  std::vector<int> result;
  std::visit([&](const auto& history) { history[0].stones(colour).for_each([&](int c) { result.push_back(c); }); },
             history_);
  return result;
}

std::int64_t Board::fill_randomly(std::int64_t count, std::uint64_t seed) const {
  return visit([&](const auto& p) {
    Random random(seed);
    std::int64_t black = 0;
    for (std::int64_t i = 0; i < count; ++i) black += fingal::fill_randomly(p, random) == kBlack;
    return black;
  });
}

bool operator==(const Board& a, const Board& b) {
  if (a.width_ != b.width_ || a.height_ != b.height_ || a.can_swap() != b.can_swap()) return false;
  return std::visit(
      [&](const auto& history) {
        return history.back() == std::get<std::decay_t<decltype(history)>>(b.history_).back();
      },
      a.history_);
}

}  // namespace fingal
