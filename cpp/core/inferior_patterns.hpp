// Local patterns of inferior cells, derived by brute force when they are first asked for.
//
// A region is a handful of empty cells. Its ring is every cell that touches it: Black's, White's, or empty, which
// stands for either. Two fillings of a region are compared over all rings: the first is at least as good for Black when
// every two black ring cells that the second joins through region and ring are joined by the first too (or, the same
// from the other side, when every two white ones that the first joins are joined by the second).
//
// Two states of a region (each cell Black, White or empty) are compared as games. `first >= second` is proved when
// Black, moving second, has an answer to every white move in the first and to every black move in the second: a black
// move in the first, a white move in the second, or none. By induction over the empty cells of the whole board, Black
// then wins with the first whatever he wins with the second, whoever is to move and whatever stands elsewhere. All
// claims are such comparisons.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace fingal {

// The ball: the 19 cells at distance 0, 1 and 2 from a centre, row by row.
constexpr int kBall = 19;
constexpr int kBallCentre = 9;
constexpr int kMaxRegion = 5;
constexpr int kMaxPlacements = 32;

struct Step {
  int down;
  int right;
  friend bool operator==(const Step&, const Step&) = default;
};

extern const std::array<Step, kBall> kBallSteps;

// What is proved of a region in one ring, in Black's view; masks of the region's cells.
struct Verdict {
  // The region is worth the same with these cells filled, and a move in the rest of it that wins then wins without the
  // fill-in (both 0: nothing is proved).
  std::uint8_t fill_black = 0;
  std::uint8_t fill_white = 0;
  // Every cell is worth nothing: filled the other way it is the same.
  bool dead = false;
  // The cells of which the following say anything.
  std::uint8_t dominated = 0;
  std::uint8_t killed = 0;
  std::uint8_t reversed = 0;
  // By cell x: the cells y such that Black on y is at least as good for Black as Black on x.
  std::array<std::uint8_t, kMaxRegion> dominators{};
  // By cell x: the cells z such that White on z, in answer to Black on x, makes the whole region White's.
  std::array<std::uint8_t, kMaxRegion> killers{};
  // By cell x: the cells z such that White on z, in answer to Black on x, leaves Black no better than before:
  // every move that wins after the exchange wins without it.
  std::array<std::uint8_t, kMaxRegion> reversers{};

  bool fills() const { return (fill_black | fill_white) != 0; }
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

// A region in one of its directions around a centre.
struct Placement {
  int shape;  // which region, up to turning
  int size;
  std::array<std::uint8_t, kMaxRegion> cells;  // as numbers in the ball
  std::uint32_t region;                        // the same as a mask of the ball
  std::uint32_t ring_cells;                    // a mask of the ball, too
  std::uint32_t wall;                          // ring cells that have to be one colour's, all of them; may be none
  int fewest;                                  // with fewer stones on the ring, nothing is proved
  std::array<std::array<std::uint32_t, 1024>, 2> digits;
  const std::uint8_t* verdict_of;  // by ring number; 0 says nothing
  const Verdict* verdicts;

  // The number of a ring: one base-3 digit a cell, 0 empty, 1 Black, 2 White.
  std::uint32_t ring(std::uint32_t black, std::uint32_t white) const {
    return digits[0][black & 1023] + digits[1][black >> 10] + 2 * (digits[0][white & 1023] + digits[1][white >> 10]);
  }
  // The number of the verdict on the region in a ring. `own` and `opponent` are masks of the ball; the verdict is in
  // the view of the owner of `own`.
  std::uint8_t look_up(std::uint32_t own, std::uint32_t opponent) const {
    const bool walled = (own & wall) == wall || (opponent & wall) == wall;
    return walled && std::popcount((own | opponent) & ring_cells) >= fewest ? verdict_of[ring(own, opponent)]
                                                                            : std::uint8_t{0};
  }
};

// All placements; derived once, in milliseconds.
const std::vector<Placement>& placements();

}  // namespace fingal
