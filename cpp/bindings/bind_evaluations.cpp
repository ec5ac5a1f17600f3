#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "core/alphabeta.hpp"
#include "core/cell.hpp"
#include "core/distance.hpp"
#include "core/resistance.hpp"

namespace fingal {
namespace {

// How many positions stones [2, b, words] hold.
std::size_t count_positions(const Array<const std::uint64_t>& stones, int width, int height) {
  check_size(width, height);
  const auto each = 2 * std::size_t(words_for(width * height));
  checked(stones, std::int64_t(stones.size() / each * each), "stones");
  return stones.size() / each;
}

// For conductances that no two colours have, there is no value.
double checked_resistance_value(double own, double opponent) {
  const bool possible =
      own >= 0 && opponent >= 0 && (own > 0 || opponent > 0) && !(std::isinf(own) && std::isinf(opponent));
  if (!possible) {
    throw std::invalid_argument("conductances of " + std::to_string(own) + " and " + std::to_string(opponent) +
                                " are not possible: each is at least 0, one of them is more, and one is finite");
  }
  return resistance_value(own, opponent);
}

}  // namespace

void bind_evaluations(nb::module_& m) {
  m.def("resistance_value", &checked_resistance_value, "own"_a, "opponent"_a,
        "How much better one side conducts, in [-1, 1]: tanh of half the logarithm of the resistances' ratio.");
  m.def(
      "measure_resistance",
      [](const Array<const std::uint64_t>& stones, int width, int height, bool connections) {
        const auto count = count_positions(stones, width, height);
        const auto cells = std::size_t(width * height);
        std::vector<double> conductance(2 * count), energy(2 * count * cells);
        {
          const nb::gil_scoped_release release;
          measure_positions(width, height, connections, {stones.data(), stones.size()}, conductance, energy);
        }
        return nb::make_tuple(as_array(std::move(conductance), {2, count}),
                              as_array(std::move(energy), {2, count, cells}));
      },
      "stones"_a, "width"_a, "height"_a, "connections"_a,
      nb::sig("def measure_resistance(stones: numpy.typing.NDArray[numpy.uint64], width: int, height: int, "
              "connections: bool) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]"),
      "Conductances [2, b] and shares of energy [2, b, cells] of stones [2, b, words].");
  m.def(
      "connection_wires",
      [](const Board& board, int colour) {
        std::vector<std::tuple<int, int, double>> rows;
        for (const auto& wire : connection_wires(board, to_colour(colour))) {
          rows.emplace_back(wire.from, wire.to, wire.conductance);
        }
        return rows;
      },
      "board"_a, "colour"_a,
      "The wires that virtual connections make in a colour's circuit: (end, end, conductance). Ends are cells, then "
      "the number of cells for the colour's first edge and one more for its second.");
  m.def(
      "measure_distance",
      [](const Array<const std::uint64_t>& stones, int width, int height, bool two) {
        const auto count = count_positions(stones, width, height);
        const auto cells = std::size_t(width * height);
        std::vector<int> through(2 * count * cells), least(2 * count), number(2 * count);
        {
          const nb::gil_scoped_release release;
          measure_distances(width, height, two ? Metric::kTwoDistance : Metric::kShortestPath,
                            {stones.data(), stones.size()}, through, least, number);
        }
        return nb::make_tuple(as_array(std::move(through), {2, count, cells}), as_array(std::move(least), {2, count}),
                              as_array(std::move(number), {2, count}));
      },
      "stones"_a, "width"_a, "height"_a, "two"_a,
      nb::sig("def measure_distance(stones: numpy.typing.NDArray[numpy.uint64], width: int, height: int, two: bool) -> "
              "tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.int32], "
              "numpy.typing.NDArray[numpy.int32]]"),
      "Ways through each cell [2, b, cells], the least [2, b] and how many have it [2, b]; -1 where there is none.");
  nb::class_<StopFlag>(m, "StopFlag", "Ends a search soon, from any thread.")
      .def(nb::init<>())
      .def("set", [](StopFlag& flag) { flag.is_set = true; });
  m.def(
      "search_alphabeta",
      // A copy of the board, since another thread may change it.
      [](Board board, int depth, int width, bool connections, const StopFlag& stop) {
        AlphaBetaResult found;
        {
          const nb::gil_scoped_release release;
          found = search_alphabeta(board, {depth, width, connections}, stop);
        }
        return nb::make_tuple(found.value, found.proof, found.line, found.nodes);
      },
      "board"_a, "depth"_a, "width"_a, "connections"_a, "stop"_a,
      nb::sig("def search_alphabeta(board: Board, depth: int, width: int, connections: bool, stop: StopFlag) -> "
              "tuple[float, int, list[int], int]"),
      "Alpha-beta over resistance: the value in the view of the side to move, 1, -1 or 0 for won, lost and not "
      "proven, the moves expected and the positions searched.");
}

}  // namespace fingal
