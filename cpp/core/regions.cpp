#include "regions.hpp"

#include <algorithm>
#include <bit>

namespace fingal {

namespace {

// A region of four sides as a game on masks: Black is to join two sets of cells with cells of his.
class SmallGame {
 public:
  template <int Words>
  SmallGame(const Geometry<Words>& g, const Region<Words>& region) : cells_(region.cells.count()) {
    std::array<int, 64 * Words> number{};
    int next = 0;
    region.cells.for_each([&](int cell) { number[std::size_t(cell)] = next++; });
    const auto mask = [&](const Bits<Words>& set) {
      unsigned result = 0;
      set.for_each([&](int cell) { result |= 1u << number[std::size_t(cell)]; });
      return result;
    };
    region.cells.for_each([&](int cell) {
      neighbours_[std::size_t(number[std::size_t(cell)])] = mask(g.cell[std::size_t(cell)].neighbours & region.cells);
    });
    for (auto& known : known_) std::fill_n(known.begin(), ternary((1u << cells_) - 1) * 2 + 1, std::uint8_t{0});
    from_ = mask(region.reach[kBlack][0]);
    to_ = mask(region.reach[kBlack][1]);
  }

  // Whether Black joins his sides, when `black_to_move` says who begins.
  bool black_joins(bool black_to_move) { return search(0, 0, black_to_move); }

 private:
  bool joined(unsigned black) const {
    unsigned seen = black & from_;
    for (unsigned todo = seen; todo;) {
      if (seen & to_) return true;
      const auto found = neighbours_[std::size_t(std::countr_zero(todo))] & black & ~seen;
      seen |= found;
      todo = (todo & (todo - 1)) | found;
    }
    return false;
  }

  bool search(unsigned black, unsigned white, bool black_to_move) {
    const unsigned all = (1u << cells_) - 1;
    if (joined(black)) return true;
    if (!joined(all & ~white)) return false;
    auto& known = known_[black_to_move][ternary(black) + 2 * ternary(white)];
    if (known) return known == 1;
    bool joins = !black_to_move;
    for (unsigned left = all & ~(black | white); left && joins != black_to_move; left &= left - 1) {
      const unsigned move = left & -left;
      joins = black_to_move ? search(black | move, white, false) : search(black, white | move, true);
    }
    known = joins ? 1 : 2;
    return joins;
  }

  // A mask read in base 3.
  static std::size_t ternary(unsigned mask) {
    std::size_t result = 0;
    for (std::size_t power = 1; mask; mask >>= 1, power *= 3) result += (mask & 1) * power;
    return result;
  }

  static constexpr std::size_t kStates = 6561;  // 3 to the power of kSmallRegion

  int cells_;
  unsigned from_ = 0;
  unsigned to_ = 0;
  std::array<unsigned, kSmallRegion> neighbours_{};
  std::array<std::array<std::uint8_t, kStates>, 2> known_;  // 0 not yet, 1 Black joins, 2 he does not
};

}  // namespace

template <int Words>
int owner(const Geometry<Words>& g, const Region<Words>& region) {
  SmallGame game(g, region);
  if (game.black_joins(false)) return kBlack;
  return game.black_joins(true) ? kNobody : kWhite;
}

#define FINGAL_INSTANTIATE(WORDS) template int owner(const Geometry<WORDS>&, const Region<WORDS>&);
FINGAL_FOR_EACH_WORDS(FINGAL_INSTANTIATE)
#undef FINGAL_INSTANTIATE

}  // namespace fingal
