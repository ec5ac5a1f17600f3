// What every bind_<topic>.cpp needs.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

namespace fingal {

namespace nb = nanobind;
using namespace nb::literals;

void bind_batch(nb::module_& m);
void bind_board(nb::module_& m);
void bind_connections(nb::module_& m);
void bind_evaluations(nb::module_& m);
void bind_inferior(nb::module_& m);
void bind_playout(nb::module_& m);
void bind_search(nb::module_& m);
void bind_solver(nb::module_& m);
void bind_uct(nb::module_& m);

}  // namespace fingal
