#include <nanobind/operators.h>

#include "bind.hpp"
#include "core/board.hpp"

namespace fingal {

void bind_board(nb::module_& m) {
  m.attr("MAX_SIDE") = kMaxSide;
  m.attr("SWAP") = kSwap;
  m.def(
      "cell_name",
      [](int cell, int width, int height) {
        check_size(width, height);
        if (cell < 0 || cell >= width * height) {
          throw std::invalid_argument("cell " + std::to_string(cell) +
                                      " is off the board: " + board_range(width, height));
        }
        return cell_name(cell, width);
      },
      "cell"_a, "width"_a, "height"_a, "'a1' for 0, row by row from the top-left corner.");
  m.def(
      "parse_cell",
      [](std::string_view text, int width, int height) {
        check_size(width, height);
        return parse_cell(text, width, height);
      },
      "text"_a, "width"_a, "height"_a, "The cell that 'a1' names, in either case; ValueError otherwise.");

  nb::class_<Board>(m, "Board")
      .def(nb::init<int, int, bool>(), "width"_a, "height"_a, "swap"_a = false)
      .def(nb::init<const Board&>(), "other"_a)
      .def_prop_ro("width", &Board::width)
      .def_prop_ro("height", &Board::height)
      .def_prop_ro("cells", &Board::cells)
      .def_prop_ro("swap", &Board::swap, "Whether the game is played with swap-pieces.")
      .def_prop_ro("can_swap", &Board::can_swap, "Whether swap-pieces is legal now.")
      .def_prop_ro("zobrist", &Board::hash, "A 64-bit hash of size, stones and side to move.")
      .def_prop_ro("empty_cells", &Board::empty_cells, "The empty cells, in order.")
      .def_prop_ro(
          "ply", [](const Board& b) { return b.moves().size(); }, "How many moves have been pushed.")
      .def("is_over", [](const Board& b) { return b.winner() != kNobody; })
      .def("_turn", [](const Board& b) { return int(b.turn()); })
      .def("_winner", &Board::winner)
      .def("_moves", &Board::moves)
      .def("_movers",
           [](const Board& b) {
             const auto m = b.movers();
             return std::vector<int>(m.begin(), m.end());
           })
      .def(
          "_start", [](const Board& b, int colour) { return b.start(to_colour(colour)); }, "colour"_a)
      .def("_colour_at", &Board::colour_at, "cell"_a)
      .def("_set_stone", &Board::set_stone, "cell"_a, "colour"_a)
      .def(
          "_set_turn", [](Board& b, int colour) { b.set_turn(to_colour(colour)); }, "colour"_a)
      .def(
          "_packed", [](const Board& b, int colour) { return b.packed(to_colour(colour)); }, "colour"_a)
      .def(
          "push",
          [](Board& b, int move) {
            if (move < kSwap || move >= b.cells()) {
              throw std::invalid_argument("cell " + std::to_string(move) + " is off the board: " +
                                          board_range(b.width(), b.height()) + ", numbered from 0");
            }
            b.play(Move(move));
          },
          "move"_a,
          "Plays a cell (number or name) or SWAP ('swap'); ValueError, and nothing changed, when it is illegal.")
      .def(
          "push", [](Board& b, std::string_view move) { b.play(parse_move(move, b.width(), b.height())); }, "move"_a)
      .def(
          "pop", [](Board& b) { return int(b.undo()); },
          "Takes back the last move and returns it; IndexError when there is none.")
      .def("winning_chain", &Board::winning_chain,
           "The cells of a shortest winning chain, in order; [] when nobody has won.")
      .def("rotated", [](const Board& b) { return b.transformed(Symmetry::kRotation); })
      .def("mirrored", [](const Board& b) { return b.transformed(Symmetry::kMirror); })
      .def(
          "fill_randomly",
          [](Board b, std::int64_t count, std::uint64_t seed) {  // a copy, since another thread may change it
            if (count < 0) throw std::invalid_argument("a negative number of fillings is not possible");
            const nb::gil_scoped_release release;
            return b.fill_randomly(count, seed);
          },
          "count"_a, "seed"_a, "How many of `count` random fillings of the empty cells Black wins.")
      .def(nb::self == nb::self, nb::sig("def __eq__(self, arg: object, /) -> bool"));
}

}  // namespace fingal
