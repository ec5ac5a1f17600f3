// Circuits worked by hand.
#include "core/resistance.hpp"

#include "check.hpp"

using namespace fingal;

namespace {

bool near(double a, double b) { return std::abs(a - b) < 1e-12; }

// One cell between the edges, 1/2 to either side.
void one_cell() {
  const auto& g = geometry<1>(1, 1);
  Circuit<1> circuit(g);
  circuit.measure(kBlack, {}, {});
  CHECK(near(circuit.conductance(), 1));
  CHECK(near(circuit.energy()[0], 1));
  circuit.measure(kBlack, Bits<1>::of(0), {});
  CHECK(std::isinf(circuit.conductance()));
  circuit.measure(kBlack, {}, Bits<1>::of(0));
  CHECK(circuit.conductance() == 0);
}

// A column of three: three cells in a row, each with resistance 1.
void a_row_of_cells() {
  const auto& g = geometry<1>(1, 3);
  Circuit<1> circuit(g);
  circuit.measure(kBlack, {}, {});
  CHECK(near(circuit.conductance(), 1.0 / 3));
  for (const double share : circuit.energy()) CHECK(near(share, 1.0 / 3));
  // A stone in the middle leaves the other two.
  circuit.measure(kBlack, Bits<1>::of(1), {});
  CHECK(near(circuit.conductance(), 1.0 / 2));
  CHECK(near(circuit.energy()[1], 0));
}

// The same column with wires: between the edges, beside a cell, and where they count for nothing.
void wires() {
  const auto& g = geometry<1>(1, 3);
  Circuit<1> circuit(g);
  const auto with = [&](const Bits<1>& own, std::vector<Wire> wires) {
    circuit.measure(kBlack, own, {}, wires);
    return circuit.conductance();
  };
  CHECK(near(with({}, {{3, 4, 2}}), 2 + 1.0 / 3));
  // From the first edge to the middle cell: 3/2 by the first cell beside 1/2 by the wire make 3/8, and 3/2 to go.
  CHECK(near(with({}, {{3, 1, 2}}), 1 / (3.0 / 8 + 3.0 / 2)));
  CHECK(near(with(Bits<1>::of(0), {{0, 3, 5}}), 1.0 / 2));  // a stone on the edge is one with it
  CHECK(near(with({}, {{3, 1, 1}, {1, 3, 1}}), 1 / (3.0 / 8 + 3.0 / 2)));
}

// A cell that two stones of a group touch is linked to the group once.
void one_link_to_a_group() {
  const auto& g = geometry<1>(2, 2);
  Circuit<1> circuit(g);
  // Black's top row leaves a2 and b2, each between the top and the bottom.
  circuit.measure(kBlack, Bits<1>::of(0) | Bits<1>::of(1), {});
  CHECK(near(circuit.conductance(), 2));
}

void values() {
  CHECK(near(resistance_value(1, 1), 0));
  CHECK(near(resistance_value(3, 1), 0.5));
  CHECK(resistance_value(std::numeric_limits<double>::infinity(), 0) == 1);
  CHECK(resistance_value(0, std::numeric_limits<double>::infinity()) == -1);
}

}  // namespace

int main() {
  one_cell();
  a_row_of_cells();
  wires();
  one_link_to_a_group();
  values();
  return verdict();
}
