// Moves that need not be tried, and how the reasons go together.
#pragma once

#include <algorithm>
#include <functional>

#include "inferior.hpp"
#include "inferior_match.hpp"

namespace fingal {

// Black's dominated cells in the empty corner a1. Their regions are too large to derive at every start: that they hold
// is proved, by the comparison that derives the patterns, in the slow tests.
struct CornerLemma {
  Step cell;
  Step by;
  std::vector<Step> region;
};

inline const std::array<CornerLemma, 2>& corner_lemmas() {
  static const std::array<CornerLemma, 2> lemmas = {{
      {{1, 1}, {1, 2}, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 2}}},
      {{2, 0}, {2, 1}, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}}},
  }};
  return lemmas;
}

template <int Words>
class Pruner {
 public:
  using Set = Bits<Words>;

  // `matches` and `empty` are of the position with its fill-in.
  Pruner(const Geometry<Words>& g, Colour mover, const Matches<Words>& matches, const Set& empty)
      : g_(g), mover_(mover), matches_(matches), empty_(empty) {}

  // `killers`: by cell, where the opponent's answer to a move there kills it, found by paths.
  Set find(const std::array<Set, std::size_t(64 * Words)>& killers, bool symmetric) {
    kill(killers);
    reverse();
    dominate(symmetric);
    // Where every move is as bad as passing, one has to be made all the same.
    if (killed_ == empty_ && empty_.any()) killed_.reset(empty_.lowest());
    return pruned();
  }

  void write(std::vector<InferiorClaim<Words>>& claims) const {
    const auto add = [&](InferiorKind kind, int cell) {
      const auto& reason = reason_[std::size_t(cell)];
      claims.push_back({kind, cell, reason.by, reason.region, {}});
    };
    killed_.for_each([&](int cell) { add(InferiorKind::kVulnerable, cell); });
    reversed_.for_each([&](int cell) { add(InferiorKind::kReversible, cell); });
    // A claim stands before that of its dominator, so that it leads to a move that is not pruned yet.
    std::vector<std::pair<int, int>> by_depth;
    dominated_.for_each([&](int cell) {
      int steps = 0;
      for (int at = cell; dominated_.test(at); at = reason_[std::size_t(at)].by) ++steps;
      by_depth.emplace_back(-steps, cell);
    });
    std::ranges::sort(by_depth);
    for (const auto& [steps, cell] : by_depth) add(InferiorKind::kDominated, cell);
  }

 private:
  struct Reason {
    int by;
    Set region;
  };

  Set pruned() const { return killed_ | dominated_ | reversed_; }

  // All answers that make the region the opponent's go together: each leaves stones of his, which spoil no other.
  void kill(const std::array<Set, std::size_t(64 * Words)>& killers) {
    const auto add = [&](int cell, int by, const Set& region) {
      killed_.set(cell);
      reason_[std::size_t(cell)] = {by, region};
    };
    empty_.for_each([&](int cell) {
      const auto& by = killers[std::size_t(cell)];
      if (by.any()) add(cell, by.lowest(), Set::of(cell) | Set::of(by.lowest()));
    });
    matches_.for_each_said(&Verdict::killed, [&](const Hit& hit, int x) {
      if (killed_.test(matches_.cell(hit, x))) return;
      const auto by = hit.verdict().killers[std::size_t(x)];
      add(matches_.cell(hit, x), matches_.cell(hit, std::countr_zero(by)), matches_.region(hit));
    });
  }

  // Any other answer needs its region for itself.
  void reverse() {
    Set taken;
    killed_.for_each([&](int cell) { taken |= reason_[std::size_t(cell)].region; });
    matches_.for_each_said(&Verdict::reversed, [&](const Hit& hit, int x) {
      const int cell = matches_.cell(hit, x);
      const auto region = matches_.region(hit);
      if (answered(cell) || taken.intersects(region)) return;
      taken |= region;
      reversed_.set(cell);
      const auto by = hit.verdict().reversers[std::size_t(x)];
      reason_[std::size_t(cell)] = {matches_.cell(hit, std::countr_zero(by)), region};
    });
  }

  void dominate(bool symmetric) {
    matches_.for_each_said(&Verdict::dominated, [&](const Hit& hit, int x) {
      const int cell = matches_.cell(hit, x);
      for (unsigned by = hit.verdict().dominators[std::size_t(x)]; by && !pruned().test(cell); by &= by - 1) {
        consider(cell, matches_.cell(hit, std::countr_zero(by)), [&] { return matches_.region(hit); });
      }
    });
    look_into_corners();
    if (!symmetric) return;
    (empty_ - pruned()).for_each([&](int cell) {
      consider(cell, g_.cells - 1 - cell, [&] { return empty_; });  // as good as each other
    });
  }

  bool answered(int cell) const { return killed_.test(cell) || reversed_.test(cell); }

  // Where a chain of dominators ends.
  int end_of(int cell) const {
    while (dominated_.test(cell)) cell = reason_[std::size_t(cell)].by;
    return cell;
  }

  // A move is dropped when its dominators lead, one from the other, to a move that is kept and is not itself.
  template <class F>
  void consider(int cell, int by, F&& region) {
    if (pruned().test(cell) || answered(by) || end_of(by) == cell) return;
    reason_[std::size_t(cell)] = {by, region()};
    dominated_.set(cell);
  }

  void look_into_corners() {
    for (const bool turned : {false, true}) {
      const auto at = [&](Step step) {
        const auto [row, column] = mover_ == kBlack ? step : Step{step.right, step.down};  // White's are mirrored
        if (row >= g_.height || column >= g_.width) return -1;
        const int cell = row * g_.width + column;
        return turned ? g_.cells - 1 - cell : cell;
      };
      for (const auto& lemma : corner_lemmas()) {
        Set region;
        const bool open = std::ranges::all_of(lemma.region, [&](Step step) {
          const int cell = at(step);
          if (cell >= 0) region.set(cell);
          return cell >= 0 && empty_.test(cell);
        });
        if (open) consider(at(lemma.cell), at(lemma.by), [&] { return region; });
      }
    }
  }

  const Geometry<Words>& g_;
  const Colour mover_;
  const Matches<Words>& matches_;
  const Set empty_;
  Set killed_;
  Set reversed_;
  Set dominated_;
  std::array<Reason, std::size_t(64 * Words)> reason_;
};

}  // namespace fingal
