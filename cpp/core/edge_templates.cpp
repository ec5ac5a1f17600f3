#include "edge_templates.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <tuple>

namespace fingal {

namespace {

struct Point {
  int up;
  int along;
  char what;
};

std::vector<Point> points_of(const std::string& picture) {
  const int rows = 1 + int(std::count(picture.begin(), picture.end(), '/'));
  std::vector<Point> points;
  int up = rows - 1;
  int along = 0;
  for (const char c : picture) {
    if (c == '/') {
      --up;
      along = 0;
      continue;
    }
    if (std::string(".*OPS").find(c) == std::string::npos) {
      throw std::invalid_argument("'" + picture + "' is not a template: rows of . * O P S with / between them");
    }
    if (c != '.') points.push_back({up, along, c});
    ++along;
  }
  if (std::count(picture.begin(), picture.end(), 'O') != 1 || std::count(picture.begin(), picture.end(), 'P') > 1) {
    throw std::invalid_argument("'" + picture + "' is not a template: it must have one O, and at most one P");
  }
  return points;
}

}  // namespace

template <int Words>
TemplateTable<Words>::TemplateTable(const Geometry<Words>& g, Colour colour, const std::vector<std::string>& pictures,
                                    bool pairs) {
  for (std::size_t index = 0; index < pictures.size(); ++index) {
    if (!pairs && pictures[index].find('P') != std::string::npos) continue;
    const auto points = points_of(pictures[index]);
    for (const int edge : {0, 1}) {
      const EdgeFrame<Words> frame(g, colour, edge);
      for (const bool mirrored : {false, true}) {
        for (int shift = -frame.length(); shift <= 2 * frame.length(); ++shift) {
          TemplatePlace<Words> place{-1, g.cells + edge, edge, int(index), {}, {}, {}};
          const bool fits = std::all_of(points.begin(), points.end(), [&](const Point& point) {
            const int cell = frame.cell(point.up, mirrored ? shift - point.along + point.up : shift + point.along);
            if (cell < 0) return false;
            if (point.what == 'O') place.end = cell;
            if (point.what == 'P') place.other = cell;
            if (point.what == '*') place.carrier.set(cell);
            (point.what == 'S' ? place.stones : place.free).set(cell);
            return true;
          });
          if (fits) places_.push_back(place);
        }
      }
    }
  }
  const auto lowest = [](const TemplatePlace<Words>& place) { return place.stones.any() ? place.stones.lowest() : -1; };
  std::stable_sort(places_.begin(), places_.end(), [&](const auto& a, const auto& b) { return lowest(a) < lowest(b); });
  for (int stone = 0; stone <= g.cells; ++stone) {
    const auto first =
        std::partition_point(places_.begin(), places_.end(), [&](const auto& place) { return lowest(place) < stone; });
    begin_.push_back(std::size_t(first - places_.begin()));
  }
}

template <int Words>
const TemplateTable<Words>& TemplateTable<Words>::shared(const Geometry<Words>& g, Colour colour) {
  static std::map<std::tuple<int, int, Colour>, std::unique_ptr<TemplateTable>> made;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  auto& table = made[{g.width, g.height, colour}];
  if (table) return *table;
  constexpr int kSmall = 64;  // cells: on such boards the solver is faster without pairs
  table = std::make_unique<TemplateTable>(g, colour, edge_templates(), g.cells > kSmall);
  return *table;
}

template class TemplateTable<1>;
template class TemplateTable<2>;
template class TemplateTable<3>;
template class TemplateTable<4>;
template class TemplateTable<5>;
template class TemplateTable<6>;

}  // namespace fingal
