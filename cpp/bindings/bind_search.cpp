#include <nanobind/stl/tuple.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "core/selfplay.hpp"
#include "core/tree_search.hpp"
#include "guards.hpp"

namespace fingal {
namespace {

nb::dict as_dict(Samples&& s, std::size_t words, std::size_t cells) {
  const auto n = std::size_t(s.count);
  nb::dict result;
  result["black"] = as_array(std::move(s.black), {n, words});
  result["white"] = as_array(std::move(s.white), {n, words});
  result["final_black"] = as_array(std::move(s.final_black), {n, words});
  result["final_white"] = as_array(std::move(s.final_white), {n, words});
  result["white_to_move"] = as_array(std::move(s.white_to_move), {n});
  result["last"] = as_array(std::move(s.last), {n});
  result["reply"] = as_array(std::move(s.reply), {n});
  result["policy"] = as_array(std::move(s.policy), {n, cells});
  result["value"] = as_array(std::move(s.value), {n});
  result["search_value"] = as_array(std::move(s.search_value), {n});
  result["stakes"] = as_array(std::move(s.stakes), {n});
  result["game"] = as_array(std::move(s.game), {n});
  return result;
}

}  // namespace

void bind_search(nb::module_& m) {
  m.def("considered_visits", &considered_visits, "considered"_a, "simulations"_a,
        "Sequential halving: how many visits the moves under consideration have at each simulation.");

  nb::class_<SearchSettings>(m, "SearchSettings")
      .def(nb::init<>())
      .def_rw("gumbel", &SearchSettings::gumbel)
      .def_rw("c_init", &SearchSettings::c_init)
      .def_rw("c_base", &SearchSettings::c_base)
      .def_rw("fpu_reduction", &SearchSettings::fpu_reduction)
      .def_rw("c_visit", &SearchSettings::c_visit)
      .def_rw("c_scale", &SearchSettings::c_scale)
      .def_rw("considered", &SearchSettings::considered)
      .def_rw("gumbel_scale", &SearchSettings::gumbel_scale)
      .def_rw("noise_share", &SearchSettings::noise_share)
      .def_rw("noise_total", &SearchSettings::noise_total)
      .def_rw("connections", &SearchSettings::connections);

  nb::class_<SearchedTree>(m, "SearchedTree", "What any search's tree can be asked.")
      .def_prop_ro("visits", reading(&SearchedTree::visits))
      .def_prop_ro("nodes", reading(&SearchedTree::nodes))
      .def_prop_ro("value", reading(&SearchedTree::value), "For the side to move at the root.")
      .def_prop_ro(
          "proof",
          [](const SearchedTree& t) {
            const auto use = t.busy.read();
            return int(t.proof());
          },
          "1: the side to move wins, -1: it loses, 0: not known.")
      .def("best_move",
           [](const SearchedTree& t) {
             const auto use = t.busy.read();
             return int(t.best_move());
           })
      .def(
          "candidates",
          [](const SearchedTree& t, const std::vector<Move>& line) {
            const auto use = t.busy.read();
            std::vector<std::tuple<int, int, float, float, int>> rows;
            for (const auto& c : t.candidates(line)) rows.emplace_back(c.move, c.visits, c.value, c.prior, c.proof);
            return rows;
          },
          "line"_a = std::vector<Move>{},
          "The moves after a line from the root, the best first: (move, visits, value, prior, proof), the mover's "
          "view.")
      .def(
          "principal_variation",
          [](const SearchedTree& t, const std::vector<Move>& line) {
            const auto use = t.busy.read();
            const auto moves = t.principal_variation(line);
            return std::vector<int>(moves.begin(), moves.end());
          },
          "line"_a, "The moves expected after a line from the root.");

  nb::class_<TreeSearch, SearchedTree>(m, "TreeSearch",
                                       "A tree search of one position; a net judges what select() hands out.")
      .def(nb::new_(&TreeSearch::make), "board"_a, "settings"_a, "seed"_a = 0)
      .def_prop_ro("words", &TreeSearch::words)
      .def_prop_ro("cells", &TreeSearch::cells)
      .def_prop_ro("simulations", reading(&TreeSearch::simulations))
      .def("set_position", changing(&TreeSearch::set_position), "board"_a)
      .def("prepare", changing(&TreeSearch::prepare), "simulations"_a, "settings"_a)
      .def(
          "select",
          [](TreeSearch& t, int most, int simulations, const Array<std::uint64_t>& stones,
             const Array<bool>& white_to_move, const Array<std::int32_t>& last, int batch) {
            if (most < 0) throw std::invalid_argument("a negative number of positions is not possible");
            const auto s = checked(stones, 2 * std::int64_t(most) * t.words(), "stones");
            const auto w = checked(white_to_move, most, "white_to_move");
            const auto l = checked(last, most, "last");
            check_apart({{"stones", s}, {"white_to_move", w}, {"last", l}});
            const auto use = t.busy.change();
            const nb::gil_scoped_release release;
            return t.select(most, simulations, s, w, l, batch);
          },
          "most"_a, "simulations"_a, "stones"_a.noconvert(), "white_to_move"_a.noconvert(), "last"_a.noconvert(),
          "batch"_a = 0,
          "How many positions were written: stones [2, most, words], white_to_move [most], last [most]. Batches of "
          "several numbers may be under way at once; the calls must come one at a time.")
      .def(
          "update",
          [](TreeSearch& t, const Array<const float>& logits, const Array<const float>& value, int batch) {
            const std::span<const float> l(logits.data(), logits.size());
            const std::span<const float> v(value.data(), value.size());
            const auto use = t.busy.change();
            const nb::gil_scoped_release release;
            t.update(l, v, batch);
          },
          "logits"_a, "value"_a, "batch"_a = 0)
      .def("cancel", changing(&TreeSearch::cancel), "batch"_a = 0)
      .def("cancel_all", changing(&TreeSearch::cancel_all))
      .def("improved_policy",
           [](const TreeSearch& t) {
             const auto use = t.busy.read();
             auto p = t.improved_policy();
             const auto n = p.size();
             return as_array(std::move(p), {n});
           })
      .def("run_constant", changing(&TreeSearch::run_constant), "simulations"_a,
           nb::call_guard<nb::gil_scoped_release>());

  nb::class_<SelfplaySettings>(m, "SelfplaySettings")
      .def(nb::init<>())
      .def_rw("search", &SelfplaySettings::search)
      .def_rw("full_simulations", &SelfplaySettings::full_simulations)
      .def_rw("cheap_simulations", &SelfplaySettings::cheap_simulations)
      .def_rw("cheap_considered", &SelfplaySettings::cheap_considered)
      .def_rw("cheap_noise", &SelfplaySettings::cheap_noise)
      .def_rw("full_share", &SelfplaySettings::full_share)
      .def_rw("cheap_positions", &SelfplaySettings::cheap_positions)
      .def_rw("proven_positions", &SelfplaySettings::proven_positions)
      .def_rw("resign_below", &SelfplaySettings::resign_below)
      .def_rw("resign_moves", &SelfplaySettings::resign_moves)
      .def_rw("play_on_share", &SelfplaySettings::play_on_share);

  nb::class_<SelfplayPool>(m, "SelfplayPool", "Games that play themselves: select(), let a net judge, update().")
      .def(nb::new_(&SelfplayPool::make), "width"_a, "height"_a, "count"_a, "settings"_a, "seed"_a, "threads"_a = 1)
      .def_prop_ro("width", &SelfplayPool::width)
      .def_prop_ro("height", &SelfplayPool::height)
      .def_prop_ro("cells", &SelfplayPool::cells)
      .def_prop_ro("words", &SelfplayPool::words)
      .def_prop_ro("count", &SelfplayPool::count)
      .def("set_openings", changing(&SelfplayPool::set_openings), "lines"_a)
      .def(
          "select",
          [](SelfplayPool& p, const Array<std::uint64_t>& stones, const Array<bool>& white_to_move,
             const Array<std::int32_t>& last) {
            const auto s = checked(stones, 2 * p.count() * p.words(), "stones");
            const auto w = checked(white_to_move, p.count(), "white_to_move");
            const auto l = checked(last, p.count(), "last");
            check_apart({{"stones", s}, {"white_to_move", w}, {"last", l}});
            const auto use = p.busy.change();
            const nb::gil_scoped_release release;
            p.select(s, w, l);
          },
          "stones"_a.noconvert(), "white_to_move"_a.noconvert(), "last"_a.noconvert(),
          "One position a game: stones [2, n, words], white_to_move [n], last [n].")
      .def(
          "update",
          [](SelfplayPool& p, const Array<const float>& logits, const Array<const float>& value) {
            const auto l = checked(logits, p.count() * p.cells(), "logits");
            const auto v = checked(value, p.count(), "value");
            const auto use = p.busy.change();
            const nb::gil_scoped_release release;
            p.update(l, v);
          },
          "logits"_a, "value"_a, "logits [n, cells], value [n] for the side to move.")
      .def(
          "drain",
          [](SelfplayPool& p) {
            std::vector<FinishedGame> games;
            Samples samples;
            {
              const auto use = p.busy.change();
              const nb::gil_scoped_release release;
              samples = p.drain(games);
            }
            nb::list finished;
            for (const auto& g : games) {
              finished.append(nb::make_tuple(g.id, g.opening, int(g.winner), g.resigned,
                                             std::vector<int>(g.moves.begin(), g.moves.end())));
            }
            return nb::make_tuple(as_dict(std::move(samples), std::size_t(p.words()), std::size_t(p.cells())),
                                  finished);
          },
          nb::sig("def drain(self) -> tuple[dict[str, numpy.typing.NDArray[typing.Any]], list[tuple[int, int, int, "
                  "bool, list[int]]]]"),
          "What has finished: (samples by name, [(id, opening moves, winner, resigned, moves)]).")
      .def(
          "resignations",
          [](const SelfplayPool& p) {
            const auto use = p.busy.read();
            const auto r = p.resignations();
            return std::make_tuple(r.would_resign, r.wrong);
          },
          "In games played on: (sides that would have resigned, those that won after all).")
      .def("save",
           [](SelfplayPool& p) {
             const auto use = p.busy.change();
             const auto s = p.save();
             return nb::bytes(s.data(), s.size());
           })
      .def(
          "restore",
          [](SelfplayPool& p, const nb::bytes& state) {
            const auto use = p.busy.change();
            p.restore({state.c_str(), state.size()});
          },
          "state"_a);
}

}  // namespace fingal
