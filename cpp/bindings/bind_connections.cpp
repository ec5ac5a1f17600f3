#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "core/board_connections.hpp"
#include "core/cell.hpp"
#include "core/edge_templates.hpp"
#include "core/judged_games.hpp"
#include "core/template_finder.hpp"
#include "core/verdicts.hpp"
#include "guards.hpp"

namespace fingal {

namespace {

nb::tuple listing(const BoardConnections& connections, bool semi) {
  const auto use = connections.busy.read();
  auto all = connections.all(semi);
  const auto count = all.ends.size() / 2;
  return nb::make_tuple(as_array(std::move(all.ends), {count, 2}),
                        as_array(std::move(all.carriers), {count, std::size_t(connections.words())}));
}

}  // namespace

void bind_connections(nb::module_& m) {
  m.def("edge_templates", &edge_templates,
        "The edge templates that the search begins with: rows down to the edge with / between them, O the stone, S "
        "stones that it takes, * the carrier.");

  const TemplateHunt hunt;
  nb::class_<TemplateFinder>(m, "TemplateFinder")
      .def(
          "__init__",
          [](TemplateFinder* self, int highest, int most_cells, std::int64_t most_positions) {
            new (self) TemplateFinder({highest, most_cells, most_positions});
          },
          "highest"_a = hunt.highest, "most_cells"_a = hunt.most_cells, "most_positions"_a = hunt.most_positions)
      .def("add", changing(&TemplateFinder::add), "picture"_a, "Adds a template to those that are known.")
      .def_prop_ro("known", reading(&TemplateFinder::known))
      .def(
          "find",
          [](const TemplateFinder& self, Board board, int colour) {  // a copy, since another thread may change it
            const auto use = self.busy.read();
            const nb::gil_scoped_release release;
            return self.find(board, to_colour(colour));
          },
          "board"_a, "colour"_a,
          "Templates that stand in a position though connections with what is known do not say so.")
      .def("shrunk", reading(&TemplateFinder::shrunk), "picture"_a, "order"_a, nb::call_guard<nb::gil_scoped_release>(),
           "A template without what it does not need, cells tried in this order; None when it does not hold.")
      .def("holds", reading(&TemplateFinder::holds), "picture"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Whether a template holds, by search of its carrier alone.")
      .def("is_minimal", reading(&TemplateFinder::is_minimal), "picture"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Whether it no longer holds without any one of its cells or stones.")
      .def("is_found", reading(&TemplateFinder::is_found), "picture"_a, nb::call_guard<nb::gil_scoped_release>(),
           "Whether connections with what is known join it, with only the opponent's stones around it.");

  const ConnectionLimits defaults;
  nb::class_<BoardConnections>(m, "Connections")
      .def(
          "__init__",
          [](BoardConnections* self, Board board, int colour, const std::vector<int>& filled_black,
             const std::vector<int>& filled_white, int fulls, int semis, bool templates, bool record) {
            ConnectionLimits limits;
            limits.fulls = fulls;
            limits.semis = semis;
            limits.templates = templates;
            limits.record = record;
            const nb::gil_scoped_release release;
            new (self) BoardConnections(board, to_colour(colour), limits, {filled_black, filled_white});
          },
          "board"_a, "colour"_a, "filled_black"_a = std::vector<int>{}, "filled_white"_a = std::vector<int>{},
          "fulls"_a = defaults.fulls, "semis"_a = defaults.semis, "templates"_a = defaults.templates,
          "record"_a = defaults.record)
      .def(
          "build",
          [](BoardConnections& self, Board board, const std::vector<int>& filled_black,
             const std::vector<int>& filled_white) {
            const auto use = self.busy.change();
            const nb::gil_scoped_release release;
            self.build(board, {filled_black, filled_white});
          },
          "board"_a, "filled_black"_a = std::vector<int>{}, "filled_white"_a = std::vector<int>{},
          "Searches from scratch, on a board of the same size.")
      .def_prop_ro("won", reading(&BoardConnections::won), "Whether a full connection joins both edges.")
      .def("end_of", reading(&BoardConnections::end_of), "end"_a, "The number that stands for a cell's group or edge.")
      .def("add", changing(&BoardConnections::add), "own"_a, "opponent"_a, "Adds stones to those of the board.")
      .def("undo", changing(&BoardConnections::undo), "Takes the last add() back; IndexError when there is none.")
      .def("between", reading(&BoardConnections::between), "a"_a, "b"_a, "semi"_a, "The carriers between two ends.")
      .def(
          "_derivation",
          [](const BoardConnections& self, int a, int b, const std::vector<int>& carrier) {
            const auto use = self.busy.read();
            nb::list steps;
            for (const auto& step : self.derivation(a, b, carrier)) {
              steps.append(nb::make_tuple(int(step.rule), step.a, step.b, step.carrier, step.middle, step.parents,
                                          step.captured));
            }
            return steps;
          },
          "a"_a, "b"_a, "carrier"_a,
          nb::sig("def _derivation(self, a: int, b: int, carrier: Sequence[int]) -> list[tuple[int, int, int, "
                  "list[int], int, list[int], list[tuple[int, list[int]]]]]"))
      .def("_smallest_win", reading(&BoardConnections::smallest_win))
      .def("_must_play", reading(&BoardConnections::must_play))
      .def("listing", &listing, "semi"_a,
           nb::sig("def listing(self, semi: bool) -> tuple[NDArray[numpy.int16], NDArray[numpy.uint64]]"),
           "All connections of a kind: ends [N, 2] and carriers [N, words], cell i in bit i % 64 of word i / 64.")
      .def("holds", reading(&BoardConnections::holds), "a"_a, "b"_a, "carrier"_a, "owner_first"_a,
           nb::call_guard<nb::gil_scoped_release>(),
           "Whether a claimed connection holds, by plain search of its carrier with every other cell the opponent's.");

  nb::class_<JudgedGames>(m, "JudgedGames",
                          "Games of one size, played in lockstep on threads with the GIL released; each keeps its "
                          "connections from move to move. Arrays are written in place.")
      .def(nb::new_(&JudgedGames::make), "width"_a, "height"_a, "count"_a, "connections"_a = true, "threads"_a = 1)
      .def_prop_ro("width", &JudgedGames::width)
      .def_prop_ro("height", &JudgedGames::height)
      .def_prop_ro("count", &JudgedGames::count)
      .def("reset", changing(&JudgedGames::reset), "Every game begins again, on the empty board with Black to move.")
      .def(
          "play",
          [](JudgedGames& j, const Array<const std::int32_t>& games, const Array<const std::int32_t>& cell,
             const Array<bool>& over) {
            const auto count = std::int64_t(games.size());
            const auto g = checked(games, count, "games");
            const auto c = checked(cell, count, "cell");
            const auto o = checked(over, count, "over");
            check_apart({{"over", o}}, {{"games", g}, {"cell", c}});
            const auto use = j.busy.change();
            const nb::gil_scoped_release release;
            j.play(g, c, o);
          },
          "games"_a, "cell"_a, "over"_a.noconvert(), "Plays cell [k] int32 in games [k] int32 -> over [k] bool.")
      .def(
          "judge",
          [](JudgedGames& j, const Array<const std::int32_t>& games, const Array<std::int8_t>& proof,
             const Array<std::int32_t>& winning, const Array<bool>& moves) {
            const auto count = std::int64_t(games.size());
            const auto g = checked(games, count, "games");
            const auto p = checked(proof, count, "proof");
            const auto w = checked(winning, count, "winning");
            const auto m = checked(moves, count * j.cells(), "moves");
            check_apart({{"proof", p}, {"winning", w}, {"moves", m}}, {{"games", g}});
            const auto use = j.busy.change();
            const nb::gil_scoped_release release;
            j.judge(g, p, w, m);
          },
          "games"_a, "proof"_a.noconvert(), "winning"_a.noconvert(), "moves"_a.noconvert(),
          "What connections say of games [k] int32: proof, winning and moves as from judge_by_connections.");

  m.def(
      "judge_by_connections",
      [](const Array<const std::uint64_t>& stones, const Array<const bool>& white_to_move, int width, int height,
         const Array<std::int8_t>& proof, const Array<std::int32_t>& winning, const Array<bool>& moves, int threads) {
        check_size(width, height);
        const auto count = std::int64_t(white_to_move.size());
        const auto s = checked(stones, 2 * count * words_for(width * height), "stones");
        const auto p = checked(proof, count, "proof");
        const auto w = checked(winning, count, "winning");
        const auto m = checked(moves, count * width * height, "moves");
        const auto white = checked_flags(white_to_move, count, "white_to_move");
        check_apart({{"proof", p}, {"winning", w}, {"moves", m}}, {{"stones", s}, {"white_to_move", white}});
        const nb::gil_scoped_release release;
        judge_by_connections(width, height, threads, s, white, p, w, m);
      },
      "stones"_a, "white_to_move"_a, "width"_a, "height"_a, "proof"_a.noconvert(), "winning"_a.noconvert(),
      "moves"_a.noconvert(), "threads"_a = 1,
      "What connections say of n positions that are not over: proof [n] int8 (1: the side to move wins, -1: it loses, "
      "0: not known), winning [n] int32 (a move that wins, or -1), moves [n, cells] bool (those worth trying).");
}

}  // namespace fingal
