#include <nanobind/stl/array.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/pair.h>

#include "bind.hpp"
#include "core/fewest_moves.hpp"
#include "core/solver.hpp"

namespace fingal {

void bind_solver(nb::module_& m) {
  const auto ending = [](auto find) {
    return [find](const Board& board, std::int64_t nodes) {
      Ending found;
      {
        const nb::gil_scoped_release release;
        found = find(board, nodes);
      }
      return std::pair(found.moves, std::vector<int>(found.first.begin(), found.first.end()));
    };
  };
  m.def("fewest_moves", ending(&fewest_moves), "board"_a, "nodes"_a,
        "For a side to move that wins: (how many of its moves it takes at least, [the first]); (0, []) beyond the "
        "nodes.");
  m.def("longest_defence", ending(&longest_defence), "board"_a, "nodes"_a,
        "For a side to move that loses: (how many moves the other needs at most, or 0 beyond the nodes, [moves that "
        "hold out longest]).");

  nb::class_<SolverSettings>(m, "SolverSettings")
      .def(nb::init<>())
      .def_rw("threads", &SolverSettings::threads)
      .def_rw("memory_mb", &SolverSettings::memory_mb)
      .def_rw("wide_base", &SolverSettings::wide_base)
      .def_rw("wide_factor", &SolverSettings::wide_factor)
      .def_rw("epsilon", &SolverSettings::epsilon)
      .def_rw("templates", &SolverSettings::templates);

  nb::class_<Finding>(m, "Finding", "What a solver knows of a position, in the view of its side to move.")
      .def_ro("known", &Finding::known)
      .def_ro("winner", &Finding::winner)
      .def_ro("phi", &Finding::phi)
      .def_ro("delta", &Finding::delta)
      .def_ro("best", &Finding::best)
      .def_ro("work", &Finding::work)
      .def_ro("proof", &Finding::proof)
      .def_ro("moves", &Finding::moves)
      .def_prop_ro("filled", [](const Finding& v) { return std::vector<std::vector<int>>{v.filled[0], v.filled[1]}; });

  nb::class_<Solver>(m, "Solver", "Proves who wins; what it finds is kept from position to position.")
      .def(nb::new_(&Solver::make), "width"_a, "height"_a, "settings"_a)
      .def("run", &Solver::run, "board"_a, "nodes"_a, "seconds"_a, nb::call_guard<nb::gil_scoped_release>(),
           "The winner, or -1 when the limit came first.")
      .def("stop", &Solver::stop, "Ends run() soon, from any thread.")
      .def("set_policy", &Solver::set_policy, "policy"_a,
           "Orders moves by what policy(stones [2][words], to_move) -> [cells] says of them.")
      .def("look_up", &Solver::look_up, "board"_a)
      .def_prop_ro("nodes", &Solver::nodes)
      .def_prop_ro("table_used", &Solver::table_used)
      .def_prop_ro("table_capacity", &Solver::table_capacity)
      .def_prop_ro("table_bytes", &Solver::table_bytes)
      .def("save", &Solver::save, "path"_a)
      .def("load", &Solver::load, "path"_a);
}

}  // namespace fingal
