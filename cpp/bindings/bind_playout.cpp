#include "arrays.hpp"
#include "bind.hpp"
#include "core/cell.hpp"
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
  m.def(
      "fill_values",
      [](const Array<const std::uint64_t>& stones, const Array<const bool>& white_to_move, int width, int height,
         int fills, std::uint64_t seed) {
        check_size(width, height);
        std::vector<float> values(white_to_move.size());
        const auto s = checked(stones, 2 * std::int64_t(values.size()) * words_for(width * height), "stones");
        const auto w = checked_flags(white_to_move, std::int64_t(values.size()), "white_to_move");
        {
          const nb::gil_scoped_release release;
          fill_values(width, height, s, w, fills, seed, values);
        }
        const auto count = values.size();
        return as_array(std::move(values), {count});
      },
      "stones"_a, "white_to_move"_a, "width"_a, "height"_a, "fills"_a, "seed"_a,
      "Values [b], in the side to move's view, by random fillings of stones [2, b, words], white_to_move [b].");
}

}  // namespace fingal
