#include "bind.hpp"
#include "core/board.hpp"
#include "core/inferior.hpp"
#include "core/regions.hpp"

namespace fingal {

namespace {

template <int Words>
Bits<Words> stones(const Board& board, Colour colour) {
  Bits<Words> bits;
  const auto packed = board.packed(colour);
  std::copy(packed.begin(), packed.end(), bits.word.begin());
  return bits;
}

template <int Words>
std::vector<int> cells(const Bits<Words>& set) {
  std::vector<int> list;
  set.for_each([&](int cell) { list.push_back(cell); });
  return list;
}

void check_open(const Board& board) {
  if (board.winner() != kNobody) throw std::invalid_argument("the game is over: nothing is left to be decided");
}

}  // namespace

void bind_inferior(nb::module_& m) {
  m.def(
      "inferior",
      [](const Board& board, int to_move, bool prune) {
        check_open(board);
        const auto mover = to_colour(to_move);
        return with_words(board.cells(), [&]<int Words>() {
          const auto& g = geometry<Words>(board.width(), board.height());
          const auto found = compute_inferior(g, stones<Words>(board, kBlack), stones<Words>(board, kWhite), mover,
                                              {.claims = true, .prune = prune});
          nb::list claims;
          for (const auto& claim : found.claims) {
            claims.append(nb::make_tuple(int(claim.kind), claim.cell, claim.by, cells(claim.region),
                                         cells(claim.fill[kBlack]), cells(claim.fill[kWhite])));
          }
          return nb::make_tuple(cells(found.fill[kBlack]), cells(found.fill[kWhite]), cells(found.pruned), claims);
        });
      },
      "board"_a, "to_move"_a, "prune"_a = true,
      nb::sig("def inferior(board: Board, to_move: int, prune: bool = True) -> tuple[list[int], list[int], list[int], "
              "list[tuple[int, int, int, list[int], list[int], list[int]]]]"),
      "Black's fill-in, White's, the pruned cells, and the claims: (kind, cell, by, region, black, white).");
  m.def(
      "regions",
      [](const Board& board) {
        check_open(board);
        return with_words(board.cells(), [&]<int Words>() {
          const auto& g = geometry<Words>(board.width(), board.height());
          nb::list list;
          for (const auto& region : decompose(g, stones<Words>(board, kBlack), stones<Words>(board, kWhite))) {
            nb::list reach[2];
            for (const auto colour : {kBlack, kWhite}) {
              for (const auto& touching : region.reach[colour]) reach[colour].append(cells(touching));
            }
            const bool small = region.has_four_sides() && region.cells.count() <= kSmallRegion;
            list.append(
                nb::make_tuple(cells(region.cells), reach[kBlack], reach[kWhite], small ? owner(g, region) : kNobody));
          }
          return list;
        });
      },
      "board"_a, nb::sig("def regions(board: Board) -> list[tuple[list[int], list[list[int]], list[list[int]], int]]"),
      "The regions of empty cells: (cells, those that touch each black group, each white one, owner or -1).");
}

}  // namespace fingal
