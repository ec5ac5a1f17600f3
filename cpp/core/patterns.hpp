// Local patterns: the twelve cells around a cell, each empty, black or white, as a number; and what they are worth.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "geometry.hpp"

namespace fingal {

constexpr int kRing = 6;            // cells that touch a cell; as many are a bridge away from it
constexpr int kRingPatterns = 729;  // 3^6
constexpr int kPatterns = 531'441;  // 3^12: ring + kRingPatterns * outer ring
constexpr int kAround = 2 * kRing;  // places around a cell
constexpr int kEnergyBins = 12;     // of each colour's share of the energy: energy_bin
constexpr int kNowhereAround = -1;

// (rows, columns) from a cell to the places around it: first the cells that touch it, in a circle, then those a bridge
// away, each beyond the touching cells of its own number and the next.
inline constexpr std::array<std::array<int, 2>, kAround> kPlaces{
    {{0, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, 0}, {-1, 1}, {1, 1}, {2, -1}, {1, -2}, {-1, -1}, {-2, 1}, {-1, 2}}};
// The place from which a cell is seen that is seen at a place.
constexpr int opposite_place(int place) { return place < kRing ? (place + 3) % 6 : kRing + (place - kRing + 3) % 6; }
// Places mirrored in the long diagonal.
inline constexpr std::array<int, kAround> kMirrored{1, 0, 5, 4, 3, 2, 6, 11, 10, 9, 8, 7};

inline constexpr std::array<int, kRing> kPowers{1, 3, 9, 27, 81, 243};

// A pattern in the other colour's view: mirrored in the long diagonal, colours exchanged. Its own inverse.
constexpr int mirrored_pattern(int pattern) {
  int result = 0;
  for (std::size_t place = 0; place < kAround; ++place) {
    const int state = pattern % 3;
    pattern /= 3;
    const auto to = std::size_t(kMirrored[place]);
    const int power = to < kRing ? kPowers[to] : kRingPatterns * kPowers[to - kRing];
    result += (state == 0 ? 0 : 3 - state) * power;
  }
  return result;
}

// All of them, by pattern.
const std::vector<std::int32_t>& mirrored_patterns();

// The twelve places around each cell of a board.
template <int Words>
struct Surroundings {
  static constexpr auto kCells = std::size_t(64 * Words);

  std::array<std::array<std::int16_t, kAround>, kCells> at;  // kNowhereAround off the board
  // The patterns of an empty board. Off the board stand the stones of the edges' owners, and in the corners nobody's,
  // so that mirroring exchanges the colours.
  std::array<std::uint16_t, kCells> ring{};
  std::array<std::uint16_t, kCells> outer{};

  explicit Surroundings(const Geometry<Words>& g) {
    for (int cell = 0; cell < g.cells; ++cell) {
      const auto c = std::size_t(cell);
      for (std::size_t place = 0; place < kAround; ++place) {
        const int row = cell / g.width + kPlaces[place][0], column = cell % g.width + kPlaces[place][1];
        const bool beyond_row = row < 0 || row >= g.height, beyond_column = column < 0 || column >= g.width;
        at[c][place] = kNowhereAround;
        if (!beyond_row && !beyond_column) {
          at[c][place] = std::int16_t(row * g.width + column);
        } else if (beyond_row != beyond_column) {
          auto& key = place < kRing ? ring[c] : outer[c];
          key = std::uint16_t(key + (beyond_row ? 1 : 2) * kPowers[place % kRing]);
        }
      }
    }
  }
};

// The patterns around all cells of a position.
template <int Words>
class PatternBoard {
 public:
  explicit PatternBoard(const Surroundings<Words>& around)
      : around_(&around), ring_(around.ring), outer_(around.outer) {}

  const Surroundings<Words>& around() const { return *around_; }
  int ring(int cell) const { return ring_[std::size_t(cell)]; }
  int pattern(int cell) const { return ring_[std::size_t(cell)] + kRingPatterns * outer_[std::size_t(cell)]; }

  // Every stone of a position is put on its cell.
  void place_all(const Bits<Words>& black, const Bits<Words>& white) {
    black.for_each([&](int cell) { place(cell, kBlack); });
    white.for_each([&](int cell) { place(cell, kWhite); });
  }
  // A stone is put on an empty cell.
  void place(int cell, Colour colour) {
    const auto& places = around_->at[std::size_t(cell)];
    for (int place = 0; place < kAround; ++place) {
      if (places[std::size_t(place)] != kNowhereAround) see(places[std::size_t(place)], opposite_place(place), colour);
    }
  }
  // The cell sees a stone at a place.
  void see(int cell, int place, Colour colour) {
    auto& key = place < kRing ? ring_[std::size_t(cell)] : outer_[std::size_t(cell)];
    key = std::uint16_t(key + (1 + colour) * kPowers[std::size_t(place % kRing)]);
  }

 private:
  const Surroundings<Words>* around_;
  std::array<std::uint16_t, Surroundings<Words>::kCells> ring_;
  std::array<std::uint16_t, Surroundings<Words>::kCells> outer_;
};

// What was learned of patterns: logarithms, in Black's view (own stones 1, the opponent's 2).
struct PatternScores {
  std::vector<float> pattern;  // [kPatterns]
  std::vector<float> reply;    // [kAround, kRingPatterns]: added where the last move stands at a place around the cell
  std::vector<float> energy;   // [kEnergyBins, kEnergyBins]: own and the opponent's; playouts do not use it

  void check() const;  // throws std::invalid_argument for wrong sizes and for what is no score
};

}  // namespace fingal
