#include "arrays.hpp"
#include "bind.hpp"
#include "core/batch.hpp"

namespace fingal {

void bind_batch(nb::module_& m) {
  nb::class_<Batch>(
      m, "Batch", "Games of one size, stepped together on threads with the GIL released. Arrays are written in place.")
      .def(nb::new_(&Batch::make), "width"_a, "height"_a, "count"_a, "swap"_a = false, "threads"_a = 1)
      .def_prop_ro("width", &Batch::width)
      .def_prop_ro("height", &Batch::height)
      .def_prop_ro("cells", &Batch::cells)
      .def_prop_ro("words", &Batch::words)
      .def_prop_ro("count", &Batch::count)
      .def("reset", &Batch::reset)
      .def(
          "step",
          [](Batch& b, const Array<const std::int32_t>& action, const Array<float>& reward, const Array<bool>& over) {
            const auto a = checked(action, b.count(), "action");
            const auto r = checked(reward, b.count(), "reward");
            const auto o = checked(over, b.count(), "over");
            const nb::gil_scoped_release release;
            b.step(a, r, o);
          },
          "action"_a, "reward"_a, "over"_a,
          "action [n] int32 (cells, and `cells` for swap) -> reward [n] float32 in the mover's view, over [n] bool; "
          "ended games start again.")
      .def(
          "observe",
          [](Batch& b, const Array<bool>& plane, const Array<bool>& legal) {
            const auto p = checked(plane, b.count() * b.cells() * 4, "plane");
            const auto l = checked(legal, b.count() * b.actions(), "legal");
            const nb::gil_scoped_release release;
            b.observe(p, l);
          },
          "plane"_a, "legal"_a,
          "plane [n, height, width, 4] bool: own stones, the other side's, White to move, swap possible; legal [n, "
          "cells + 1] bool.")
      .def(
          "random_actions",
          [](Batch& b, std::uint64_t seed, const Array<std::int32_t>& action) {
            const auto a = checked(action, b.count(), "action");
            const nb::gil_scoped_release release;
            b.random_actions(seed, a);
          },
          "seed"_a, "action"_a, "A uniformly random legal action for every game -> action [n] int32.")
      .def(
          "pack",
          [](const Batch& b, const Array<std::uint64_t>& stones, const Array<bool>& white_to_move,
             const Array<std::int32_t>& last) {
            const auto s = checked(stones, 2 * b.count() * b.words(), "stones");
            const auto w = checked(white_to_move, b.count(), "white_to_move");
            const auto l = checked(last, b.count(), "last");
            const nb::gil_scoped_release release;
            b.pack(s, w, l);
          },
          "stones"_a, "white_to_move"_a, "last"_a,
          "stones [2, n, words] uint64 (Black's, White's), white_to_move [n] bool, last [n] int32 (-1: none).")
      .def(
          "unpack",
          [](Batch& b, const Array<const std::uint64_t>& stones, const Array<const bool>& white_to_move) {
            const auto s = checked(stones, 2 * b.count() * b.words(), "stones");
            const auto w = checked(white_to_move, b.count(), "white_to_move");
            const nb::gil_scoped_release release;
            b.unpack(s, w);
          },
          "stones"_a, "white_to_move"_a, "Sets every game from packed positions, as pack writes them.");
}

}  // namespace fingal
