// Finds edge templates in positions and proves them: what holds by search of its carrier alone although the rules of
// H-search do not see it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "board.hpp"
#include "busy.hpp"
#include "edge_templates.hpp"

namespace fingal {

struct TemplateHunt {
  int highest = 5;                       // rows above the edge's own row in which a stone is looked at
  int most_cells = 44;                   // cells around it that are searched
  std::int64_t most_positions = 50'000;  // after so many positions of a search it is taken not to hold
};

// Pictures are those of edge_templates(); the functions on them throw std::invalid_argument for others.
class TemplateFinder {
 public:
  // Throws std::invalid_argument when the hunt leaves nothing to be found, or looks at more cells than a search can.
  explicit TemplateFinder(const TemplateHunt& hunt);

  const BusyFlag busy{"this finder of templates"};

  // Adds a template to those that are known.
  void add(const std::string& picture);
  const std::vector<std::string>& known() const { return known_; }

  // Templates that stand in a position of a game for a colour, though its connections with what is known do not say
  // so. Each without cells and stones that it can do without.
  std::vector<std::string> find(const Board& board, Colour colour) const;

  // A template without what it does not need: cells are tried in the order given, by their place in the picture, then
  // stones. Nothing when it does not hold, as far as is seen.
  std::optional<std::string> shrunk(const std::string& picture, const std::vector<int>& order) const;
  // By search of the carrier alone.
  bool holds(const std::string& picture) const;
  // Whether it no longer holds without any one of its cells or stones.
  bool is_minimal(const std::string& picture) const;
  // Whether connections with what is known join it, when all around it is the opponent's.
  bool is_found(const std::string& picture) const;

 private:
  TemplateHunt hunt_;
  std::vector<std::string> known_;
};

}  // namespace fingal
