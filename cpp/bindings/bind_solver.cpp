#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include "bind.hpp"
#include "core/fewest_moves.hpp"
#include "core/solver.hpp"
#include "guards.hpp"

namespace fingal {
namespace {

// A Python function as a policy. It is only held and called with the GIL.
MovePolicy move_policy(nb::object function) {
  if (function.is_none()) return {};
  if (!PyCallable_Check(function.ptr())) throw nb::type_error("a policy must be a function of stones and a colour");
  // What the last copy lets go of belongs to Python.
  const std::shared_ptr<nb::object> held(new nb::object(std::move(function)), [](nb::object* last) {
    const nb::gil_scoped_acquire acquire;
    delete last;
  });
  return [held](const std::array<std::vector<std::uint64_t>, 2>& stones, int to_move) {
    const nb::gil_scoped_acquire acquire;
    std::vector<float> scores;
    if (!nb::try_cast((*held)(std::vector<std::vector<std::uint64_t>>(stones.begin(), stones.end()), to_move),
                      scores)) {
      throw nb::type_error("the policy returned something else than a list of numbers, one for every cell");
    }
    return scores;
  };
}

}  // namespace

void bind_solver(nb::module_& m) {
  const auto ending = [](auto find) {
    return [find](Board board, std::int64_t nodes) {  // a copy, since another thread may change it
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
      .def(
          "run",
          [](Solver& s, Board board, std::int64_t nodes, double seconds, std::optional<std::int64_t> stops) {
            const auto use = s.busy.change();
            const nb::gil_scoped_release release;
            return s.run(board, nodes, seconds, stops);
          },
          "board"_a, "nodes"_a, "seconds"_a, "stops"_a = nb::none(),
          "The winner, or -1 when a limit or stop() came first. With `stops`, which the property had at some time "
          "before, a stop() since then ends the run at once; without, only one that comes during the run counts. What "
          "the policy raises ends the run and is raised here.")
      .def("stop", &Solver::stop, "Ends the run() under way soon, from any thread.")
      .def_prop_ro("stops", &Solver::stops, "How often stop() has been called.")
      .def(
          "set_policy",
          [](Solver& s, nb::object policy) {
            const auto use = s.busy.change();
            s.set_policy(move_policy(std::move(policy)));
          },
          "policy"_a.none(),
          nb::sig("def set_policy(self, policy: "
                  "collections.abc.Callable[[collections.abc.Sequence[collections.abc.Sequence[int]], "
                  "int], collections.abc.Sequence[float]] | None) -> None"),
          "Orders moves by what policy(stones [2][words], to_move) returns: a finite score for every cell, the best "
          "the highest, or [] where it has none. None: by electric currents.")
      .def("look_up", &Solver::look_up, "board"_a)
      .def_prop_ro("nodes", &Solver::nodes)
      .def_prop_ro("table_used", &Solver::table_used)
      .def_prop_ro("table_capacity", &Solver::table_capacity)
      .def_prop_ro("table_bytes", &Solver::table_bytes)
      .def(
          "save",
          [](const Solver& s, const std::string& path) {
            const auto use = s.busy.change();  // nobody may store meanwhile
            const nb::gil_scoped_release release;
            s.save(path);
          },
          "path"_a)
      .def("load", changing(&Solver::load), "path"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace fingal
