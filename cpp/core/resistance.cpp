#include "resistance.hpp"

#include <optional>

#include "packed.hpp"
#include "resistance_wires.hpp"

namespace fingal {

void measure_positions(int width, int height, bool connections, std::span<const std::uint64_t> stones,
                       std::span<double> conductance, std::span<double> energy) {
  check_size(width, height);
  with_words(width * height, [&]<int Words>() {
    const auto& g = geometry<Words>(width, height);
    Circuit<Words> circuit(g);
    const auto count = conductance.size() / 2;
    for (const auto colour : {kBlack, kWhite}) {
      std::optional<Connections<Words>> found;  // it is large
      if (connections) found.emplace(g, colour, ConnectionLimits{});
      std::vector<Wire> wires;
      for (std::size_t i = 0; i < count; ++i) {
        const auto side = unpacked<Words>(g, stones, count, i);
        if (found) {
          found->build(side[colour], side[other(colour)]);
          wires.clear();
          add_wires(g, *found, side[colour], wires);
        }
        circuit.measure(colour, side[colour], side[other(colour)], wires);
        conductance[colour * count + i] = circuit.conductance();
        const auto shares = circuit.energy();
        std::copy(shares.begin(), shares.end(), energy.begin() + std::ptrdiff_t((colour * count + i) * shares.size()));
      }
    }
  });
}

std::vector<Wire> connection_wires(const Board& board, Colour colour) {
  return with_words(board.cells(), [&]<int Words>() {
    const auto position = position_of<Words>(board);
    Connections<Words> found(position.geometry(), colour, {});
    found.build(position.stones(colour), position.stones(other(colour)));
    std::vector<Wire> wires;
    add_wires(position.geometry(), found, found.own(), wires);
    return wires;
  });
}

}  // namespace fingal
