#include "template_finder.hpp"

#include <algorithm>
#include <cstdlib>

#include "carrier_search.hpp"
#include "connections.hpp"
#include "setting.hpp"

namespace fingal {

namespace {

// A template somewhere on a board: the end, the stones it takes and the carrier.
template <int Words>
struct Claim {
  int end;
  int other;
  int edge;
  Bits<Words> stones;
  Bits<Words> carrier;
};

template <int Words>
std::optional<CarrierVerdict> search(const Geometry<Words>& g, Colour colour, const Claim<Words>& claim,
                                     std::int64_t most = 0) {
  return CarrierGame::make(g, colour, claim.stones, claim.end, claim.other, claim.carrier).search(false, most);
}

// Drops what the connection does not need, in the order given. False when it does not hold at all, as far as is seen.
template <int Words>
bool shrink(const Geometry<Words>& g, Colour colour, Claim<Words>& claim, const std::vector<int>& cells,
            std::int64_t most) {
  const auto keep_needed = [&](Claim<Words> tried) {
    const auto verdict = search(g, colour, tried, most);
    if (!verdict || !verdict->holds) return false;
    int i = 0;
    const auto before = tried.carrier;
    before.for_each([&](int cell) {
      if (!(verdict->needs >> i++ & 1)) tried.carrier.reset(cell);
    });
    claim = tried;
    return true;
  };
  if (!keep_needed(claim)) return false;
  for (const int cell : cells) {
    if (!claim.carrier.test(cell)) continue;
    auto less = claim;
    less.carrier.reset(cell);
    keep_needed(less);
  }
  const auto stones = claim.stones;
  stones.for_each([&](int stone) {
    auto less = claim;
    less.stones.reset(stone);
    keep_needed(less);
  });
  return true;
}

template <int Words>
std::string picture_of(const EdgeFrame<Words>& frame, const Claim<Words>& claim, bool mirrored) {
  struct Mark {
    int up;
    int along;
    char what;
  };
  std::vector<Mark> marks;
  const auto mark = [&](int cell, char what) {
    const int up = frame.up(cell);
    marks.push_back({up, mirrored ? up - frame.along(cell) : frame.along(cell), what});
  };
  mark(claim.end, 'O');
  if (claim.other < frame.length() * frame.depth()) mark(claim.other, 'P');
  claim.stones.for_each([&](int cell) { mark(cell, 'S'); });
  claim.carrier.for_each([&](int cell) { mark(cell, '*'); });
  int high = 0;
  int left = marks[0].along;
  int right = left;
  for (const auto& one : marks) {
    high = std::max(high, one.up);
    left = std::min(left, one.along);
    right = std::max(right, one.along);
  }
  std::vector<std::string> rows(std::size_t(high + 1), std::string(std::size_t(right - left + 1), '.'));
  for (const auto& one : marks) rows[std::size_t(high - one.up)][std::size_t(one.along - left)] = one.what;
  std::string picture = rows[0];
  for (std::size_t i = 1; i < rows.size(); ++i) picture += "/" + rows[i];
  return picture;
}

// The picture of a template and of its mirror image are one.
template <int Words>
std::string picture_of(const EdgeFrame<Words>& frame, const Claim<Words>& claim) {
  return std::min(picture_of(frame, claim, false), picture_of(frame, claim, true));
}

// A picture on the smallest board that has a free row above it, where it stands at Black's second edge.
template <class F>
decltype(auto) on_board(const std::string& picture, F&& f) {
  const int height = 2 + int(std::count(picture.begin(), picture.end(), '/'));
  const int width = std::max(int(std::min(picture.find('/'), picture.size())), 2);
  check_size(width, height);
  return with_words(width * height, [&]<int Words>() {
    const auto& g = geometry<Words>(width, height);
    const TemplateTable<Words> table(g, kBlack, {picture});
    for (const auto& place : table.places()) {
      if (place.edge == 1) return f(g, Claim<Words>{place.end, place.other, place.edge, place.stones, place.carrier});
    }
    throw std::invalid_argument("'" + picture + "' is not a template: its rows are not of one length");
  });
}

template <int Words>
class Hunt {
 public:
  using Set = Bits<Words>;

  Hunt(const Geometry<Words>& g, Colour colour, const Set& own, const Set& opponent, const TemplateTable<Words>& known,
       const TemplateHunt& hunt)
      : g_(g), colour_(colour), own_(own), empty_(g.all - (own | opponent)), hunt_(hunt), view_(g, colour, {}, &known) {
    view_.build(own, opponent);
  }

  std::vector<std::string> find() {
    std::vector<std::string> pictures;
    for (const int edge : {0, 1}) {
      const EdgeFrame<Words> frame(g_, colour_, edge);
      std::vector<bool> seen(std::size_t(g_.cells) + 2);
      for (int up = 1; up <= std::min(hunt_.highest, frame.depth() - 2); ++up) {
        for (int along = 0; along < frame.length(); ++along) {
          const int cell = frame.cell(up, along);
          if (!empty_.test(cell) && !own_.test(cell)) continue;
          const int end = view_.end_of(cell);
          if (end == g_.cells + edge || seen[std::size_t(end)]) continue;  // of a group, the stone nearest to the edge
          seen[std::size_t(end)] = true;
          for (const auto& without : wanted(end, g_.cells + edge)) {
            auto [claim, cells] = around(frame, cell, edge);
            claim.carrier = claim.carrier - without;
            if (shrink(g_, colour_, claim, cells, hunt_.most_positions)) pictures.push_back(picture_of(frame, claim));
          }
        }
      }
    }
    return pictures;
  }

 private:
  // Cells without which a connection would be new: none of them when there is no connection, otherwise any one that
  // all connections need. What holds when the opponent begins is mostly seen to hold when the owner does.
  std::vector<Set> wanted(int end, int edge) const {
    const auto semis = view_.semi(end, edge);
    if (view_.full(end, edge).empty()) return semis.empty() ? std::vector<Set>{} : std::vector<Set>{{}};
    auto meet = g_.all;
    for (const auto& carrier : view_.full(end, edge)) meet &= carrier;
    std::vector<Set> result;
    meet.for_each([&](int cell) {
      const bool seen = std::any_of(semis.begin(), semis.end(), [&](const Set& semi) { return !semi.test(cell); });
      if (seen) result.push_back(Set::of(cell));
    });
    return result;
  }

  // A cell with what is around it: more below it than beside it, and one row above. The farthest cells come first.
  std::pair<Claim<Words>, std::vector<int>> around(const EdgeFrame<Words>& frame, int cell, int edge) const {
    struct Near {
      int far;
      int cell;
    };
    const int above = frame.up(cell) + 1;
    const auto aside = [&](int other) {  // in half cells
      return std::abs(2 * (frame.along(other) - frame.along(cell)) - (frame.up(other) - frame.up(cell)));
    };
    std::vector<Near> near;
    (empty_ - Set::of(cell)).for_each([&](int other) {
      const int down = frame.up(cell) - frame.up(other);
      if (frame.up(other) <= above) near.push_back({aside(other) - down + (down < 0 ? 2 : 0), other});
    });
    std::stable_sort(near.begin(), near.end(), [](const Near& a, const Near& b) { return a.far < b.far; });
    near.resize(std::min(near.size(), std::size_t(hunt_.most_cells)));
    Claim<Words> claim{cell, g_.cells + edge, edge, {}, {}};
    std::vector<int> cells;
    int widest = 0;
    for (const auto& one : near) {
      claim.carrier.set(one.cell);
      cells.insert(cells.begin(), one.cell);
      widest = std::max(widest, aside(one.cell));
    }
    (own_ - Set::of(cell)).for_each([&](int stone) {
      if (frame.up(stone) <= above + 1 && aside(stone) <= widest + 2) claim.stones.set(stone);
    });
    return {claim, cells};
  }

  const Geometry<Words>& g_;
  Colour colour_;
  Set own_;
  Set empty_;
  TemplateHunt hunt_;
  Connections<Words> view_;
};

}  // namespace

TemplateFinder::TemplateFinder(const TemplateHunt& hunt) : hunt_(hunt) {
  check_setting("highest", hunt.highest, 1, kMaxSide);
  check_setting("most_cells", hunt.most_cells, 1, kMostCarrierCells);
  check_setting("most_positions", double(hunt.most_positions), 1, double(std::int64_t(1) << 53));
}

void TemplateFinder::add(const std::string& picture) {
  on_board(picture, [](const auto&, const auto&) { return true; });
  known_.push_back(picture);
}

std::vector<std::string> TemplateFinder::find(const Board& board, Colour colour) const {
  return with_words(board.cells(), [&]<int Words>() {
    const auto& g = geometry<Words>(board.width(), board.height());
    std::array<Bits<Words>, 2> stones;
    for (const auto side : {kBlack, kWhite}) {
      const auto words = board.packed(side);
      std::copy(words.begin(), words.end(), stones[side].word.begin());
    }
    const TemplateTable<Words> known(g, colour, known_);
    auto pictures = Hunt<Words>(g, colour, stones[colour], stones[other(colour)], known, hunt_).find();
    std::erase_if(pictures, [&](const auto& picture) { return is_found(picture); });
    return pictures;
  });
}

std::optional<std::string> TemplateFinder::shrunk(const std::string& picture, const std::vector<int>& order) const {
  return on_board(picture, [&]<int Words>(const Geometry<Words>& g, Claim<Words> claim) -> std::optional<std::string> {
    const int row = int(std::min(picture.find('/'), picture.size())) + 1;
    std::vector<int> cells;
    for (const int mark : order) {
      if (mark < 0 || mark >= int(picture.size()) || picture[std::size_t(mark)] == '/') {
        throw std::invalid_argument("there is no mark " + std::to_string(mark) + " in '" + picture + "'");
      }
      cells.push_back((mark / row + 1) * g.width + mark % row);
    }
    if (!shrink(g, kBlack, claim, cells, hunt_.most_positions)) return std::nullopt;
    return picture_of(EdgeFrame<Words>(g, kBlack, claim.edge), claim);
  });
}

bool TemplateFinder::holds(const std::string& picture) const {
  return on_board(picture, [](const auto& g, const auto& claim) { return search(g, kBlack, claim)->holds; });
}

bool TemplateFinder::is_minimal(const std::string& picture) const {
  return on_board(picture, []<int Words>(const Geometry<Words>& g, const Claim<Words>& claim) {
    bool minimal = true;
    (claim.carrier | claim.stones).for_each([&](int cell) {
      auto less = claim;
      less.carrier.reset(cell);
      less.stones.reset(cell);
      minimal = minimal && !search(g, kBlack, less)->holds;
    });
    return minimal;
  });
}

bool TemplateFinder::is_found(const std::string& picture) const {
  return on_board(picture, [&]<int Words>(const Geometry<Words>& g, const Claim<Words>& claim) {
    const TemplateTable<Words> known(g, kBlack, known_);
    Connections<Words> view(g, kBlack, {}, &known);
    auto free = claim.stones | claim.carrier | Bits<Words>::of(claim.end);
    if (claim.other < g.cells) free.set(claim.other);
    view.build(claim.stones, g.all - free);
    return !view.full(view.end_of(claim.end), claim.other < g.cells ? view.end_of(claim.other) : claim.other).empty();
  });
}

}  // namespace fingal
