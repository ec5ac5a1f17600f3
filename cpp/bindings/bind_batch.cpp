#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "core/batch.hpp"
#include "core/bridge_planes.hpp"
#include "core/policy_games.hpp"
#include "guards.hpp"

namespace fingal {
namespace {

using Rows = Array<const std::int32_t>;

// The array to write to: the caller's own, of the expected size, or a new one of that shape.
template <class T>
Array<T> room(const std::optional<Array<T>>& given, std::initializer_list<std::size_t> shape) {
  std::size_t size = 1;
  for (const auto side : shape) size *= side;
  if (given) {
    checked(*given, std::int64_t(size), "out");
    return *given;
  }
  auto* made = new T[size];
  const nb::capsule owner(made, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  return Array<T>(made, shape.size(), shape.begin(), owner);
}

template <class T>
std::span<T> span_of(const Array<T>& array) {
  return {array.data(), array.size()};
}

Array<std::uint8_t> planes_room(const std::optional<Array<std::uint8_t>>& given, std::size_t count, int width,
                                int height) {
  return room<std::uint8_t>(given,
                            {count, std::size_t(kBridgePlanes), std::size_t(height + 2), std::size_t(width + 2)});
}

void bind_policy_games(nb::module_& m) {
  m.def(
      "bridge_planes",
      [](const Array<const std::uint64_t>& stones, const Array<const bool>& white_to_move, const Rows& last, int width,
         int height, const std::optional<Array<std::uint8_t>>& out) {
        check_size(width, height);
        const auto count = last.size();
        const auto s = checked(stones, 2 * std::int64_t(count) * words_for(width * height), "stones");
        const auto w = checked_flags(white_to_move, std::int64_t(count), "white_to_move");
        const auto planes = planes_room(out, count, width, height);
        check_apart({{"out", span_of(planes)}}, {{"stones", s}, {"white_to_move", w}, {"last", span_of(last)}});
        {
          const nb::gil_scoped_release release;
          bridge_planes(width, height, s, w, span_of(last), span_of(planes));
        }
        return planes;
      },
      "stones"_a, "white_to_move"_a, "last"_a, "width"_a, "height"_a, "out"_a.noconvert() = nb::none(),
      nb::sig("def bridge_planes(stones: numpy.typing.NDArray[numpy.uint64], white_to_move: "
              "numpy.typing.NDArray[numpy.bool_], last: numpy.typing.NDArray[numpy.int32], width: int, height: int, "
              "out: numpy.typing.NDArray[numpy.uint8] | None = None) -> numpy.typing.NDArray[numpy.uint8]"),
      "Planes [b, 12, height + 2, width + 2] of stones and bridges of packed positions, in absolute colours.");

  nb::class_<PolicyGames>(m, "PolicyGames",
                          "Games of one size that a policy plays; calls name some by their rows, int32 [k]. A game "
                          "that is over stays so until it is reset, set or copied over.")
      .def(nb::new_(&PolicyGames::make), "width"_a, "height"_a, "count"_a, "threads"_a = 1)
      .def_prop_ro("width", &PolicyGames::width)
      .def_prop_ro("height", &PolicyGames::height)
      .def_prop_ro("cells", &PolicyGames::cells)
      .def_prop_ro("count", &PolicyGames::count)
      .def(
          "reset",
          [](PolicyGames& p, const std::optional<Rows>& rows) {
            const auto use = p.busy.change();
            if (rows) return p.reset(span_of(*rows));
            std::vector<std::int32_t> all(std::size_t(p.count()));
            for (std::size_t i = 0; i < all.size(); ++i) all[i] = std::int32_t(i);
            p.reset(all);
          },
          "rows"_a = nb::none(),
          nb::sig("def reset(self, rows: numpy.typing.NDArray[numpy.int32] | None = None) -> None"),
          "The games, or all of them, begin again on the empty board with Black to move.")
      .def(
          "set",
          [](PolicyGames& p, const Rows& rows, const Array<const std::uint64_t>& stones,
             const Array<const bool>& white_to_move, const Rows& last) {
            const auto use = p.busy.change();
            const auto k = std::int64_t(rows.size());
            p.set(span_of(rows), checked(stones, 2 * k * words_for(p.cells()), "stones"),
                  checked_flags(white_to_move, k, "white_to_move"), checked(last, k, "last"));
          },
          "rows"_a, "stones"_a, "white_to_move"_a, "last"_a,
          nb::sig("def set(self, rows: numpy.typing.NDArray[numpy.int32], stones: numpy.typing.NDArray[numpy.uint64], "
                  "white_to_move: numpy.typing.NDArray[numpy.bool_], last: numpy.typing.NDArray[numpy.int32]) -> None"),
          "Sets games from packed positions: stones [2, k, words], white_to_move [k], last [k] (-1: none).")
      .def(
          "pack",
          [](const PolicyGames& p, const Rows& rows) {
            const auto use = p.busy.read();
            const auto k = rows.size(), words = std::size_t(words_for(p.cells()));
            const auto stones = room<std::uint64_t>(std::nullopt, {2, k, words});
            const auto white = room<bool>(std::nullopt, {k});
            const auto last = room<std::int32_t>(std::nullopt, {k});
            p.pack(span_of(rows), span_of(stones), span_of(white), span_of(last));
            return nb::make_tuple(stones, white, last);
          },
          "rows"_a,
          nb::sig(
              "def pack(self, rows: numpy.typing.NDArray[numpy.int32]) -> tuple[numpy.typing.NDArray[numpy.uint64], "
              "numpy.typing.NDArray[numpy.bool_], numpy.typing.NDArray[numpy.int32]]"),
          "Packed positions of games: stones [2, k, words], white_to_move [k], last [k] (-1: none).")
      .def(
          "copy",
          [](PolicyGames& p, const Rows& from, const Rows& to, const PolicyGames* source) {
            const auto use = p.busy.change();
            std::optional<BusyFlag::Use> theirs;
            if (source != nullptr && source != &p) theirs.emplace(source->busy.read());
            p.copy(source == nullptr ? p : *source, span_of(from), checked(to, std::int64_t(from.size()), "to"));
          },
          "from_rows"_a, "to_rows"_a, "source"_a = nb::none(),
          nb::sig("def copy(self, from_rows: numpy.typing.NDArray[numpy.int32], to_rows: "
                  "numpy.typing.NDArray[numpy.int32], source: PolicyGames | None = None) -> None"),
          "Game from_rows[i] of the source, or of these games, becomes game to_rows[i] here.")
      .def(
          "play",
          [](PolicyGames& p, const Rows& rows, const Rows& cells) {
            const auto use = p.busy.change();
            const auto over = room<bool>(std::nullopt, {rows.size()});
            p.play(span_of(rows), checked(cells, std::int64_t(rows.size()), "cells"), span_of(over));
            return over;
          },
          "rows"_a, "cells"_a,
          nb::sig(
              "def play(self, rows: numpy.typing.NDArray[numpy.int32], cells: numpy.typing.NDArray[numpy.int32]) -> "
              "numpy.typing.NDArray[numpy.bool_]"),
          "Plays cells [k] in games: which of them that has ended, [k].")
      .def(
          "planes",
          [](PolicyGames& p, const Rows& rows, const std::optional<Array<std::uint8_t>>& out) {
            const auto use = p.busy.change();
            const auto planes = planes_room(out, rows.size(), p.width(), p.height());
            check_apart({{"out", span_of(planes)}}, {{"rows", span_of(rows)}});
            {
              const nb::gil_scoped_release release;
              p.planes(span_of(rows), span_of(planes));
            }
            return planes;
          },
          "rows"_a, "out"_a.noconvert() = nb::none(),
          nb::sig("def planes(self, rows: numpy.typing.NDArray[numpy.int32], out: numpy.typing.NDArray[numpy.uint8] | "
                  "None = None) -> numpy.typing.NDArray[numpy.uint8]"),
          "bridge_planes of games, [k, 12, height + 2, width + 2], in `out` where it is given.")
      .def(
          "empty",
          [](const PolicyGames& p, const Rows& rows, const std::optional<Array<bool>>& out) {
            const auto use = p.busy.read();
            const auto empty = room<bool>(out, {rows.size(), std::size_t(p.cells())});
            check_apart({{"out", span_of(empty)}}, {{"rows", span_of(rows)}});
            p.empty(span_of(rows), span_of(empty));
            return empty;
          },
          "rows"_a, "out"_a.noconvert() = nb::none(),
          nb::sig("def empty(self, rows: numpy.typing.NDArray[numpy.int32], out: numpy.typing.NDArray[numpy.bool_] | "
                  "None = None) -> numpy.typing.NDArray[numpy.bool_]"),
          "Which cells are empty, [k, cells], in `out` where it is given.")
      .def(
          "winning",
          [](const PolicyGames& p, const Rows& rows) {
            const auto use = p.busy.read();
            const auto winning = room<bool>(std::nullopt, {rows.size(), std::size_t(p.cells())});
            p.winning(span_of(rows), span_of(winning));
            return winning;
          },
          "rows"_a,
          nb::sig("def winning(self, rows: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.bool_]"),
          "Where the side to move would win at once, [k, cells].")
      .def(
          "winner",
          [](const PolicyGames& p, const Rows& rows) {
            const auto use = p.busy.read();
            const auto winner = room<std::int8_t>(std::nullopt, {rows.size()});
            p.winner(span_of(rows), span_of(winner));
            return winner;
          },
          "rows"_a,
          nb::sig("def winner(self, rows: numpy.typing.NDArray[numpy.int32]) -> numpy.typing.NDArray[numpy.int8]"),
          "0 for Black, 1 for White, -1 while a game goes on: [k].");
}

}  // namespace

void bind_batch(nb::module_& m) {
  nb::class_<Batch>(
      m, "Batch", "Games of one size, stepped together on threads with the GIL released. Arrays are written in place.")
      .def(nb::new_(&Batch::make), "width"_a, "height"_a, "count"_a, "swap"_a = false, "threads"_a = 1)
      .def_prop_ro("width", &Batch::width)
      .def_prop_ro("height", &Batch::height)
      .def_prop_ro("cells", &Batch::cells)
      .def_prop_ro("words", &Batch::words)
      .def_prop_ro("count", &Batch::count)
      .def("reset", changing(&Batch::reset))
      .def(
          "step",
          [](Batch& b, const Array<const std::int32_t>& action, const Array<float>& reward, const Array<bool>& over) {
            const auto a = checked(action, b.count(), "action");
            const auto r = checked(reward, b.count(), "reward");
            const auto o = checked(over, b.count(), "over");
            check_apart({{"reward", r}, {"over", o}}, {{"action", a}});
            const auto use = b.busy.change();
            const nb::gil_scoped_release release;
            b.step(a, r, o);
          },
          "action"_a, "reward"_a.noconvert(), "over"_a.noconvert(),
          "action [n] int32 (cells, and `cells` for swap) -> reward [n] float32 in the mover's view, over [n] bool; "
          "ended games start again.")
      .def(
          "observe",
          [](Batch& b, const Array<bool>& plane, const Array<bool>& legal) {
            const auto p = checked(plane, b.count() * b.cells() * 4, "plane");
            const auto l = checked(legal, b.count() * b.actions(), "legal");
            check_apart({{"plane", p}, {"legal", l}});
            const auto use = b.busy.change();
            const nb::gil_scoped_release release;
            b.observe(p, l);
          },
          "plane"_a.noconvert(), "legal"_a.noconvert(),
          "plane [n, height, width, 4] bool: own stones, the other side's, White to move, swap possible; legal [n, "
          "cells + 1] bool.")
      .def(
          "random_actions",
          [](Batch& b, std::uint64_t seed, const Array<std::int32_t>& action) {
            const auto a = checked(action, b.count(), "action");
            const auto use = b.busy.change();
            const nb::gil_scoped_release release;
            b.random_actions(seed, a);
          },
          "seed"_a, "action"_a.noconvert(), "A uniformly random legal action for every game -> action [n] int32.")
      .def(
          "pack",
          [](const Batch& b, const Array<std::uint64_t>& stones, const Array<bool>& white_to_move,
             const Array<std::int32_t>& last) {
            const auto s = checked(stones, 2 * b.count() * b.words(), "stones");
            const auto w = checked(white_to_move, b.count(), "white_to_move");
            const auto l = checked(last, b.count(), "last");
            check_apart({{"stones", s}, {"white_to_move", w}, {"last", l}});
            const auto use = b.busy.read();
            const nb::gil_scoped_release release;
            b.pack(s, w, l);
          },
          "stones"_a.noconvert(), "white_to_move"_a.noconvert(), "last"_a.noconvert(),
          "stones [2, n, words] uint64 (Black's, White's), white_to_move [n] bool, last [n] int32 (-1: none).")
      .def(
          "unpack",
          [](Batch& b, const Array<const std::uint64_t>& stones, const Array<const bool>& white_to_move) {
            const auto s = checked(stones, 2 * b.count() * b.words(), "stones");
            const auto w = checked_flags(white_to_move, b.count(), "white_to_move");
            const auto use = b.busy.change();
            const nb::gil_scoped_release release;
            b.unpack(s, w);
          },
          "stones"_a, "white_to_move"_a, "Sets every game from packed positions, as pack writes them.");

  bind_policy_games(m);
}

}  // namespace fingal
