// Edge templates: ways to join a stone to an edge that the rules of H-search do not find.
#pragma once

#include <string_view>
#include <vector>

#include "geometry.hpp"

namespace fingal {

// Row by row down to the edge, each row half a cell further to the right: O the stone that is joined (a stone or a cell
// that may get one), S further stones that it takes, * the carrier.
struct EdgeTemplate {
  std::string_view picture;
};

// Each is proved by plain search of its carrier alone in the tests.
const std::vector<EdgeTemplate>& edge_templates();

// A template at one place of a board, for the colour that the table was made for.
template <int Words>
struct TemplatePlace {
  int end;
  int edge;   // 0 or 1: the colour's first or second
  int index;  // of edge_templates()
  Bits<Words> carrier;
  Bits<Words> stones;
};

// Every place that the board has room for. Shared, and lives for ever.
template <int Words>
const std::vector<TemplatePlace<Words>>& template_places(const Geometry<Words>& g, Colour colour);

}  // namespace fingal
