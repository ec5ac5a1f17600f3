// Edge templates: ways to join a stone to an edge that the rules of H-search do not find.
#pragma once

#include <string>
#include <vector>

#include "geometry.hpp"

namespace fingal {

// One of a colour's edges seen from below: rows up from it, and columns along it, where (up, along) touches
// (up + 1, along) and (up + 1, along + 1).
template <int Words>
class EdgeFrame {
 public:
  // `edge`: 0 or 1, the colour's first or second.
  EdgeFrame(const Geometry<Words>& g, Colour colour, int edge)
      : length_(colour == kBlack ? g.width : g.height),
        depth_(colour == kBlack ? g.height : g.width),
        width_(g.width),
        colour_(colour),
        turned_(edge == 0) {}

  int length() const { return length_; }
  int depth() const { return depth_; }
  // -1 off the board.
  int cell(int up, int along) const {
    if (up < 0 || up >= depth_ || along < 0 || along >= length_) return -1;
    const int row = turned_ ? up : depth_ - 1 - up;
    const int column = turned_ ? length_ - 1 - along : along;
    return colour_ == kBlack ? row * width_ + column : column * width_ + row;
  }
  int up(int cell) const {
    const int row = colour_ == kBlack ? cell / width_ : cell % width_;
    return turned_ ? row : depth_ - 1 - row;
  }
  int along(int cell) const {
    const int column = colour_ == kBlack ? cell % width_ : cell / width_;
    return turned_ ? length_ - 1 - column : column;
  }

 private:
  int length_;
  int depth_;
  int width_;
  Colour colour_;
  bool turned_;
};

// Pictures, row by row down to the edge and each row half a cell further to the right, with / between the rows: O the
// stone that is joined to the edge, or to P where there is one (each a stone or a cell that may get one), S further
// stones that it takes, * the carrier. Found and proved by fingal.analysis.templates.
const std::vector<std::string>& edge_templates();

// A template at one place of a board.
template <int Words>
struct TemplatePlace {
  int end;
  int other;  // what it is joined to: a cell, or an edge as in ConnectionStore
  int edge;   // 0 or 1: the colour's first or second
  int index;  // of the list of templates
  Bits<Words> carrier;
  Bits<Words> stones;
  Bits<Words> free;  // of the opponent's stones: carrier and ends
};

// Templates at every place that a board has room for, for one colour.
template <int Words>
class TemplateTable {
 public:
  // `pairs`: those that join two cells as well.
  TemplateTable(const Geometry<Words>& g, Colour colour, const std::vector<std::string>& pictures, bool pairs = true);

  // Of edge_templates(), with pairs on boards of more than 64 cells. Lives for ever.
  static const TemplateTable& shared(const Geometry<Words>& g, Colour colour);

  const std::vector<TemplatePlace<Words>>& places() const { return places_; }

  // Visits the places where a template stands among these stones.
  template <class F>
  void for_each(const Bits<Words>& own, const Bits<Words>& opponent, F&& visit) const {
    const auto try_range = [&](std::size_t from, std::size_t to) {
      for (auto i = from; i < to; ++i) {
        const auto& place = places_[i];
        if (place.stones.within(own) && !place.free.intersects(opponent)) visit(place);
      }
    };
    try_range(0, begin_[0]);
    own.for_each([&](int stone) { try_range(begin_[std::size_t(stone)], begin_[std::size_t(stone) + 1]); });
  }

 private:
  std::vector<TemplatePlace<Words>> places_;  // without stones, then by their lowest stone
  std::vector<std::size_t> begin_;            // by lowest stone
};

}  // namespace fingal
