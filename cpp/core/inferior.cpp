#include "inferior.hpp"

#include "inferior_match.hpp"
#include "inferior_paths.hpp"
#include "inferior_prune.hpp"
#include "regions.hpp"

namespace fingal {

namespace {

template <int Words>
class Finder {
 public:
  using Set = Bits<Words>;

  Finder(const Geometry<Words>& g, const Set& black, const Set& white, Colour mover, const InferiorOptions& options)
      : g_(g),
        mover_(mover),
        options_(options),
        matches_(g, black, white, mover),
        stones_{black, white},
        empty_(g.all - (black | white)) {}

  Inferior<Words> find() {
    fill_in();
    if (options_.prune) {
      Pruner<Words> pruner(g_, mover_, matches_, empty_);
      result_.pruned = pruner.find(killers_[mover_], is_symmetric());
      if (options_.claims) pruner.write(result_.claims);
    }
    return std::move(result_);
  }

 private:
  // Patterns until there are no more, then paths, which cost more, and again.
  void fill_in() {
    fill_by_patterns(g_.all);
    for (;;) {
      const auto filled = fill_by_paths();
      if (!filled.any()) return;
      fill_by_patterns(g_.dilate(g_.dilate(filled)));
    }
  }

  void fill_by_patterns(Set todo) {
    while (todo.any()) {
      const int centre = todo.lowest();
      todo.reset(centre);
      Hit hit;
      if (matches_.look_around(centre, hit)) todo |= g_.dilate(g_.dilate(fill(hit)));
    }
  }

  Set fill(const Hit& hit) {
    const auto& verdict = hit.verdict();
    std::array<Set, 2> filled;
    for (int i = 0; i < hit.placement->size; ++i) {
      if (verdict.fill_black >> i & 1) filled[kBlack].set(matches_.cell(hit, i));
      if (verdict.fill_white >> i & 1) filled[kWhite].set(matches_.cell(hit, i));
    }
    return fill(verdict.dead ? InferiorKind::kDead : InferiorKind::kCaptured, matches_.region(hit), filled);
  }

  Set fill(InferiorKind kind, const Set& region, const std::array<Set, 2>& filled) {
    for (const auto colour : {kBlack, kWhite}) {
      result_.fill[colour] |= filled[colour];
      stones_[colour] |= filled[colour];
      filled[colour].for_each([&](int at) { matches_.put(at, colour); });
    }
    const auto both = filled[kBlack] | filled[kWhite];
    empty_ = empty_ - both;
    if (options_.claims) result_.claims.push_back({kind, -1, -1, region, filled});
    return both;
  }

  // Returns what it has filled in.
  Set fill_by_paths() {
    Set dead;
    for (const auto colour : {kBlack, kWhite}) {
      const Paths<Words> paths(g_, colour, stones_[colour], empty_);
      dead |= paths.cut_off();
      empty_.for_each([&](int cell) {
        auto& killers = killers_[colour][std::size_t(cell)];
        killers = {};
        if (paths.is_dead(cell, killers)) dead.set(cell);
      });
    }
    if (dead.any()) return fill(InferiorKind::kDead, dead, {dead, {}});
    for (const auto colour : {kBlack, kWhite}) {
      const auto captured = capture_pairs(colour);
      if (captured.any()) return captured;
    }
    return fill_regions();
  }

  // Two cells in which stones of a colour are killed each by a stone on the other are the opponent's.
  Set capture_pairs(Colour colour) {
    const auto& killers = killers_[colour];
    Set captured;
    empty_.for_each([&](int cell) {
      if (captured.test(cell)) return;
      for (auto left = killers[std::size_t(cell)] - captured; left.any();) {
        const int by = left.lowest();
        left.reset(by);
        if (!killers[std::size_t(by)].test(cell)) continue;
        std::array<Set, 2> filled;
        filled[other(colour)] = Set::of(cell) | Set::of(by);
        captured |= fill(InferiorKind::kCaptured, filled[other(colour)], filled);
        return;
      }
    });
    return captured;
  }

  // Small regions that are dead, or that one colour owns even when the other begins there.
  Set fill_regions() {
    Set all;
    for (const auto& region : decompose(g_, stones_[kBlack], stones_[kWhite])) {
      if (region.is_dead()) {
        all |= fill(InferiorKind::kDead, region.cells, {region.cells, {}});
      } else if (region.has_four_sides() && region.cells.count() <= kSmallRegion) {
        const int colour = owner(g_, region);
        if (colour == kNobody) continue;
        std::array<Set, 2> filled;
        filled[std::size_t(colour)] = region.cells;
        all |= fill(InferiorKind::kCaptured, region.cells, filled);
      }
    }
    return all;
  }

  // Whether the position, with its fill-in, is the same when it is turned by 180 degrees.
  bool is_symmetric() const {
    for (const auto& stones : stones_) {
      for (auto left = stones; left.any();) {
        const int cell = left.lowest();
        left.reset(cell);
        if (!stones.test(g_.cells - 1 - cell)) return false;
      }
    }
    return true;
  }

  const Geometry<Words>& g_;
  const Colour mover_;
  const InferiorOptions options_;
  Matches<Words> matches_;
  std::array<Set, 2> stones_;
  Set empty_;
  // By colour and cell: where the opponent's answer to a stone of the colour kills it, found by paths.
  std::array<std::array<Set, std::size_t(64 * Words)>, 2> killers_;
  Inferior<Words> result_;
};

}  // namespace

template <int Words>
Inferior<Words> compute_inferior(const Geometry<Words>& g, const Bits<Words>& black, const Bits<Words>& white,
                                 Colour to_move, const InferiorOptions& options) {
  return Finder<Words>(g, black, white, to_move, options).find();
}

#define FINGAL_INSTANTIATE(WORDS)                                                                                   \
  template Inferior<WORDS> compute_inferior(const Geometry<WORDS>&, const Bits<WORDS>&, const Bits<WORDS>&, Colour, \
                                            const InferiorOptions&);
FINGAL_FOR_EACH_WORDS(FINGAL_INSTANTIATE)
#undef FINGAL_INSTANTIATE

}  // namespace fingal
