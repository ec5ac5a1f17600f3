#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/tuple.h>

#include <limits>

#include "arrays.hpp"
#include "bind.hpp"
#include "core/uct_search.hpp"
#include "guards.hpp"

namespace fingal {
namespace {

PatternScores scores_of(const Array<const float>& pattern, const Array<const float>& reply,
                        const Array<const float>& energy) {
  PatternScores scores;
  scores.pattern.assign(pattern.data(), pattern.data() + pattern.size());
  scores.reply.assign(reply.data(), reply.data() + reply.size());
  scores.energy.assign(energy.data(), energy.data() + energy.size());
  scores.check();
  return scores;
}

}  // namespace

void bind_uct(nb::module_& m) {
  nb::class_<PatternScores>(m, "PatternScores",
                            "Logarithms of what patterns are worth, in Black's view: pattern [3^12], reply [12, 3^6], "
                            "energy [12, 12].")
      .def(
          "__init__",
          [](PatternScores* self, const Array<const float>& pattern, const Array<const float>& reply,
             const Array<const float>& energy) { new (self) PatternScores(scores_of(pattern, reply, energy)); },
          "pattern"_a, "reply"_a, "energy"_a);

  nb::class_<PatternModel>(m, "PatternModel", "What was learned of patterns, for priors and for playouts.")
      .def(
          "__init__",
          [](PatternModel* self, const PatternScores& prior, const PatternScores& playout, float sharpness) {
            new (self) PatternModel{prior, PlayoutWeights(playout, sharpness)};
          },
          "prior"_a, "playout"_a, "sharpness"_a);

  m.def(
      "pattern_features",
      [](const Array<const std::uint64_t>& stones, const Array<const bool>& white_to_move,
         const Array<const std::int32_t>& last, int width, int height) {
        check_size(width, height);
        const auto n = last.size(), cells = std::size_t(width * height);
        const auto s = checked(stones, 2 * std::int64_t(n) * words_for(int(cells)), "stones");
        const auto w = checked_flags(white_to_move, std::int64_t(n), "white_to_move");
        std::vector<std::int32_t> pattern(n * cells), reply(n * cells), energy(n * cells);
        {
          const nb::gil_scoped_release release;
          pattern_features(width, height, s, w, {last.data(), n}, pattern, reply, energy);
        }
        return std::make_tuple(as_array(std::move(pattern), {n, cells}), as_array(std::move(reply), {n, cells}),
                               as_array(std::move(energy), {n, cells}));
      },
      "stones"_a, "white_to_move"_a, "last"_a, "width"_a, "height"_a,
      nb::sig("def pattern_features(stones: numpy.typing.NDArray[numpy.uint64], white_to_move: "
              "numpy.typing.NDArray[numpy.bool_], last: numpy.typing.NDArray[numpy.int32], width: int, height: int) -> "
              "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
              "numpy.typing.NDArray[numpy.int32]]"),
      "Pattern, reply and energy of every empty cell's move, [b, cells] each, -1 where there is none.");

  m.def(
      "pattern_playouts",
      [](Board board, std::shared_ptr<const PatternModel> model, int count, std::uint64_t seed) {
        if (!model) throw nb::type_error("playouts need a model of patterns");
        std::vector<std::int32_t> result;
        {
          const nb::gil_scoped_release release;
          result = pattern_playouts(board, *model, count, seed);
        }
        const auto n = result.size();
        return as_array(std::move(result), {n});
      },
      "board"_a, "model"_a, "count"_a, "seed"_a = 0,
      nb::sig("def pattern_playouts(board: Board, model: PatternModel, count: int, seed: int = 0) -> "
              "numpy.typing.NDArray[numpy.int32]"),
      "How often each cell is Black's at the end of so many playouts, then how often Black wins: [cells + 1].");

  nb::class_<UctSettings>(m, "UctSettings")
      .def(nb::init<>())
      .def_rw("expand", &UctSettings::expand)
      .def_rw("knowledge", &UctSettings::knowledge)
      .def_rw("net", &UctSettings::net)
      .def_rw("in_flight", &UctSettings::in_flight)
      .def_prop_rw(
          "least_reply", [](const UctSettings& s) { return s.rave.least_reply; },
          [](UctSettings& s, float x) { s.rave.least_reply = x; })
      .def_prop_rw(
          "rave_initial", [](const UctSettings& s) { return s.rave.initial; },
          [](UctSettings& s, float x) { s.rave.initial = x; })
      .def_prop_rw(
          "rave_final", [](const UctSettings& s) { return s.rave.final; },
          [](UctSettings& s, float x) { s.rave.final = x; })
      .def_prop_rw(
          "even", [](const UctSettings& s) { return s.rave.even; }, [](UctSettings& s, float x) { s.rave.even = x; })
      .def_prop_rw(
          "bias", [](const UctSettings& s) { return s.rave.bias; }, [](UctSettings& s, float x) { s.rave.bias = x; })
      .def_prop_rw(
          "c", [](const UctSettings& s) { return s.rave.c; }, [](UctSettings& s, float x) { s.rave.c = x; })
      .def_prop_rw(
          "fpu_reduction", [](const UctSettings& s) { return s.rave.fpu_reduction; },
          [](UctSettings& s, float x) { s.rave.fpu_reduction = x; });

  nb::class_<UctSearch, SearchedTree>(m, "UctSearch",
                                      "A tree search with playouts. A net may give it priors, but it needs none.")
      .def(nb::new_(&UctSearch::make), "board"_a, "model"_a, "settings"_a, "seed"_a = 0, "threads"_a = 1)
      .def("set_position", changing(&UctSearch::set_position), "board"_a)
      .def("run", changing(&UctSearch::run), "simulations"_a, "seconds"_a, "nodes"_a,
           "left"_a = std::numeric_limits<double>::infinity(), nb::call_guard<nb::gil_scoped_release>(),
           "Simulates until a limit is reached, the result is proven, or all visits wait for a net. The number of "
           "games played. A question about connections may take half of the `left` seconds.")
      .def(
          "waiting",
          [](const UctSearch& s) {
            const auto use = s.busy.read();
            auto found = s.waiting();
            const auto count = found.last.size(), words = count == 0 ? 1 : found.stones.size() / count / 2;
            return std::make_tuple(as_array(std::move(found.stones), {2, count, words}),
                                   as_array(std::move(found.white_to_move), {count}),
                                   as_array(std::move(found.last), {count}));
          },
          nb::sig("def waiting(self) -> tuple[numpy.typing.NDArray[numpy.uint64], numpy.typing.NDArray[numpy.uint8], "
                  "numpy.typing.NDArray[numpy.int32]]"),
          "The positions that visits wait for a net's priors of: stones [2, k, words], white_to_move [k] (0 or 1), "
          "last [k] (-1: none).")
      .def(
          "answer",
          [](UctSearch& s, const Array<const float>& logits) {
            const auto use = s.busy.change();
            s.answer({logits.data(), logits.size()});
          },
          "logits"_a, "What a net says of them: logits [k, cells]. The visits go on in the next run.")
      .def("cancel", changing(&UctSearch::cancel), "Takes back the visits that wait or were answered.")
      .def(
          "prove",
          [](UctSearch& s, int proof, int winning) {
            const auto use = s.busy.change();
            s.prove(proof, winning);
          },
          "proof"_a, "winning"_a, "The root is known to be won (1) by a move, or lost (-1).");
}

}  // namespace fingal
