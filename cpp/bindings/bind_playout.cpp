#include "bind.hpp"
#include "core/playout.hpp"

namespace fingal {

void bind_playout(nb::module_& m) {
  const auto as_tuple = [](const Tally& t) { return nb::make_tuple(t.wins[kBlack], t.wins[kWhite], t.plies); };
  m.def(
      "random_games",
      [=](int width, int height, std::int64_t count, std::uint64_t seed, int threads) {
        Tally tally;
        {
          const nb::gil_scoped_release release;
          tally = random_games(width, height, count, seed, threads);
        }
        return as_tuple(tally);
      },
      "width"_a, "height"_a, "count"_a, "seed"_a, "threads"_a = 1,
      nb::sig(
          "def random_games(width: int, height: int, count: int, seed: int, threads: int = 1) -> tuple[int, int, int]"),
      "Uniformly random games, each to its connecting move: (Black's wins, White's wins, moves).");
  m.def(
      "random_fills",
      [=](int width, int height, std::int64_t count, std::uint64_t seed, int threads) {
        Tally tally;
        {
          const nb::gil_scoped_release release;
          tally = random_fills(width, height, count, seed, threads);
        }
        return as_tuple(tally);
      },
      "width"_a, "height"_a, "count"_a, "seed"_a, "threads"_a = 1,
      nb::sig(
          "def random_fills(width: int, height: int, count: int, seed: int, threads: int = 1) -> tuple[int, int, int]"),
      "Boards filled at random, then the winner found: (Black's wins, White's wins, cells filled).");
}

}  // namespace fingal
