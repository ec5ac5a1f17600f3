#include "edge_templates.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

namespace fingal {

namespace {

struct Point {
  int up;     // rows from the edge
  int along;  // columns, in the board's own way: the cells above (up, along) are (up + 1, along) and (up + 1, along +
              // 1)
  char what;
};

std::vector<Point> points_of(std::string_view picture) {
  std::vector<std::string_view> rows;
  while (!picture.empty()) {
    const auto end = picture.find('\n');
    rows.push_back(picture.substr(0, end));
    picture = end == picture.npos ? std::string_view{} : picture.substr(end + 1);
  }
  std::vector<Point> points;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    int along = 0;
    for (const char c : rows[row]) {
      if (c == ' ') continue;
      if (c != '.') points.push_back({int(rows.size() - 1 - row), along, c});
      ++along;
    }
  }
  return points;
}

}  // namespace

// What the rules find by themselves (the second row's bridge, the small templates of the third and fourth row) is not
// here. These, of a stone with another's help, were found by trying every place of the other stone in small regions:
// kept are those that hold by plain search and that the rules, with the templates before them, did not find. Without
// any one cell they do not hold.
const std::vector<EdgeTemplate>& edge_templates() {
  static const std::vector<EdgeTemplate> all = {
      {". . O *\n"
       ". * * S\n"
       ". * * *\n"
       "* * * *"},
      {". . S O\n"
       ". * * *\n"
       ". * * *\n"
       "* * * *"},
      {". . O S\n"
       ". * * *\n"
       ". * * *\n"
       "* * * *"},
      {". . . O . .\n"
       ". . * * S *\n"
       ". * * * * *\n"
       "* * * * * *"},
      {". . O * *\n"
       ". * * * S\n"
       ". * * * *\n"
       "* * * * *"},
      {". O * * .\n"
       "* * * S *\n"
       "* * * * *\n"
       "* * * * *"},
      {". . . * S .\n"
       ". * * * * *\n"
       "O * * * * *\n"
       "* * * * * *"},
      {". . . * S .\n"
       ". O * * * *\n"
       "* * * * * *\n"
       "* * * * * *"},
      {". . . S * .\n"
       ". * * * * *\n"
       "O * * * * *\n"
       "* * * * * *"},
      {". O * * * .\n"
       "* * * * S *\n"
       "* * * * * *\n"
       "* * * * * *"},
  };
  return all;
}

template <int Words>
const std::vector<TemplatePlace<Words>>& template_places(const Geometry<Words>& g, Colour colour) {
  static std::map<std::tuple<int, int, Colour>, std::vector<TemplatePlace<Words>>> made;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto [found, fresh] = made.try_emplace({g.width, g.height, colour});
  auto& places = found->second;
  if (!fresh) return places;
  // From the bottom edge of Black's to all four: White's are mirrored in the long diagonal, first edges turned round.
  const int length = colour == kBlack ? g.width : g.height;
  const int depth = colour == kBlack ? g.height : g.width;
  const auto cell_at = [&](int up, int along, int edge) {
    int row = depth - 1 - up;
    int column = along;
    if (row < 0 || column < 0 || column >= length) return -1;
    if (edge == 0) row = depth - 1 - row, column = length - 1 - column;
    return colour == kBlack ? row * g.width + column : column * g.width + row;
  };
  const auto& templates = edge_templates();
  for (std::size_t index = 0; index < templates.size(); ++index) {
    const auto points = points_of(templates[index].picture);
    for (const bool mirrored : {false, true}) {
      for (int shift = -2 * length; shift <= 3 * length; ++shift) {
        for (int edge = 0; edge < 2; ++edge) {
          TemplatePlace<Words> place{-1, edge, int(index), {}, {}};
          bool fits = true;
          for (const auto& point : points) {
            const int along = mirrored ? shift - point.along + point.up : shift + point.along;
            const int cell = cell_at(point.up, along, edge);
            fits &= cell >= 0;
            if (!fits) break;
            if (point.what == 'O') place.end = cell;
            if (point.what == 'S') place.stones.set(cell);
            if (point.what == '*') place.carrier.set(cell);
          }
          if (fits) places.push_back(place);
        }
      }
    }
  }
  return places;
}

template const std::vector<TemplatePlace<1>>& template_places(const Geometry<1>&, Colour);
template const std::vector<TemplatePlace<2>>& template_places(const Geometry<2>&, Colour);
template const std::vector<TemplatePlace<3>>& template_places(const Geometry<3>&, Colour);
template const std::vector<TemplatePlace<4>>& template_places(const Geometry<4>&, Colour);
template const std::vector<TemplatePlace<5>>& template_places(const Geometry<5>&, Colour);
template const std::vector<TemplatePlace<6>>& template_places(const Geometry<6>&, Colour);

}  // namespace fingal
