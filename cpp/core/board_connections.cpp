#include "board_connections.hpp"

#include <stdexcept>
#include <string>

#include "carrier_search.hpp"

namespace fingal {

namespace {

constexpr int kMostConnections = 10'000;  // they are counted in 16 bits, and a list has room for half as many again

template <int Words>
std::vector<int> listed(const Bits<Words>& set) {
  std::vector<int> cells;
  set.for_each([&](int cell) { cells.push_back(cell); });
  return cells;
}

// Stones on cells that must be empty and named once.
template <int Words>
std::array<Bits<Words>, 2> placed(const Geometry<Words>& g, Bits<Words> empty, const std::vector<int>& first,
                                  const std::vector<int>& second) {
  std::array<Bits<Words>, 2> sets;
  std::size_t side = 0;
  for (const auto* cells : {&first, &second}) {
    for (const int cell : *cells) {
      if (cell < 0 || cell >= g.cells) {
        throw std::invalid_argument("cell " + std::to_string(cell) +
                                    " is off the board: " + board_range(g.width, g.height) + ", numbered from 0");
      }
      if (!empty.test(cell)) throw std::invalid_argument(cell_name(cell, g.width) + " is not empty");
      empty.reset(cell);
      sets[side].set(cell);
    }
    ++side;
  }
  return sets;
}

}  // namespace

BoardConnections::BoardConnections(const Board& board, Colour colour, const ConnectionLimits& limits,
                                   const std::array<std::vector<int>, 2>& filled)
    : width_(board.width()), height_(board.height()), colour_(colour) {
  for (const int most : {limits.fulls, limits.semis}) {
    if (most >= 1 && most <= kMostConnections) continue;
    throw std::invalid_argument("fulls=" + std::to_string(limits.fulls) + ", semis=" + std::to_string(limits.semis) +
                                " is not possible: a pair of ends keeps from 1 to " + std::to_string(kMostConnections) +
                                " connections of each kind");
  }
  with_words(board.cells(), [&]<int Words>() {
    connections_ = std::make_unique<Connections<Words>>(geometry<Words>(width_, height_), colour, limits);
  });
  build(board, filled);
}

void BoardConnections::build(const Board& board, const std::array<std::vector<int>, 2>& filled) {
  if (board.width() != width_ || board.height() != height_) {
    throw std::invalid_argument("a board of " + std::to_string(board.width()) + "x" + std::to_string(board.height()) +
                                " does not fit: these are connections of " + std::to_string(width_) + "x" +
                                std::to_string(height_));
  }
  std::visit(
      [&]<int Words>(One<Words>& one) {
        const auto& g = geometry<Words>(width_, height_);
        std::array<Bits<Words>, 2> stones;
        for (const auto side : {kBlack, kWhite}) {
          const auto words = board.packed(side);
          std::copy_n(words.begin(), stones[side].word.size(), stones[side].word.begin());
        }
        const auto more = placed(g, g.all - (stones[0] | stones[1]), filled[0], filled[1]);
        one->build(stones[colour_] | more[colour_], stones[other(colour_)] | more[other(colour_)]);
      },
      connections_);
  added_ = 0;
}

int BoardConnections::words() const { return words_for(width_ * height_); }

int BoardConnections::end_of(int end) const {
  const int cells = width_ * height_;
  if (end < 0 || end > cells + 1) {
    throw std::invalid_argument("end " + std::to_string(end) + " is not possible: cells are 0 to " +
                                std::to_string(cells - 1) + ", the edges " + std::to_string(cells) + " and " +
                                std::to_string(cells + 1));
  }
  if (end >= cells) return end;
  return visit([&](const auto& connections) {
    if (connections.opponent().test(end)) {
      throw std::invalid_argument(cell_name(end, width_) + " is the opponent's: nothing of this colour ends there");
    }
    return connections.end_of(end);
  });
}

bool BoardConnections::won() const {
  return visit([](const auto& connections) { return connections.won(); });
}

void BoardConnections::add(const std::vector<int>& own, const std::vector<int>& opponent) {
  std::visit(
      [&]<int Words>(One<Words>& one) {
        const auto& g = geometry<Words>(width_, height_);
        const auto [ours, theirs] = placed(g, g.all - (one->own() | one->opponent()), own, opponent);
        one->update(ours, theirs);
      },
      connections_);
  ++added_;
}

void BoardConnections::undo() {
  if (added_ == 0) throw std::out_of_range("there is nothing to take back");
  --added_;
  std::visit([](auto& one) { one->undo(); }, connections_);
}

std::vector<std::vector<int>> BoardConnections::between(int a, int b, bool semi) const {
  const int x = end_of(a);
  const int y = end_of(b);
  if (x == y) return semi ? std::vector<std::vector<int>>{} : std::vector<std::vector<int>>{{}};
  return visit([&](const auto& connections) {
    std::vector<std::vector<int>> carriers;
    for (const auto& carrier : semi ? connections.semi(x, y) : connections.full(x, y)) {
      carriers.push_back(listed(carrier));
    }
    return carriers;
  });
}

std::vector<BoardConnections::Step> BoardConnections::derivation(int a, int b, const std::vector<int>& carrier) const {
  const int x = end_of(a);
  const int y = end_of(b);
  if (x == y) return {};
  return visit([&]<int Words>(const Connections<Words>& connections) {
    const auto& g = geometry<Words>(width_, height_);
    const auto cells = placed(g, g.all - (connections.own() | connections.opponent()), carrier, {})[0];
    std::vector<Step> steps;
    for (const auto& step : connections.derivation(x, y, cells)) {
      steps.push_back({step.rule, step.a, step.b, listed(step.carrier), step.middle, step.parents, {}});
      for (const auto& [end, pair] : step.captured) steps.back().captured.emplace_back(end, listed(pair));
    }
    return steps;
  });
}

std::vector<int> BoardConnections::smallest_win() const {
  if (!won()) throw std::invalid_argument("no connection joins the edges: there is no win to look at");
  return visit([](const auto& connections) { return listed(connections.smallest_win()); });
}

std::vector<int> BoardConnections::must_play() const {
  return visit([&]<int Words>(const Connections<Words>& connections) {
    const auto empty = geometry<Words>(width_, height_).all - (connections.own() | connections.opponent());
    return listed(fingal::must_play(connections, empty));
  });
}

BoardConnections::Listing BoardConnections::all(bool semi) const {
  Listing listing;
  visit([&](const auto& connections) {
    const auto add = [&](int a, int b, const auto& carrier) {
      listing.ends.push_back(std::int16_t(a));
      listing.ends.push_back(std::int16_t(b));
      listing.carriers.insert(listing.carriers.end(), carrier.word.begin(), carrier.word.end());
    };
    semi ? connections.for_each_semi(add) : connections.for_each_full(add);
  });
  return listing;
}

bool BoardConnections::holds(int a, int b, const std::vector<int>& carrier, bool owner_first) const {
  const int x = end_of(a);
  const int y = end_of(b);
  return visit([&]<int Words>(const Connections<Words>& connections) {
    const auto& g = geometry<Words>(width_, height_);
    const auto cells = placed(g, g.all - (connections.own() | connections.opponent()), carrier, {})[0];
    return CarrierGame::make(g, colour_, connections.own(), x, y, cells).holds(owner_first);
  });
}

}  // namespace fingal
