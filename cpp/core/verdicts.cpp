#include "verdicts.hpp"

#include <optional>
#include <vector>

#include "cell.hpp"
#include "node_knowledge.hpp"
#include "packed.hpp"
#include "threads.hpp"

namespace fingal {

void judge_by_connections(int width, int height, int threads, std::span<const std::uint64_t> stones,
                          std::span<const bool> white_to_move, std::span<std::int8_t> proof,
                          std::span<std::int32_t> winning, std::span<bool> moves) {
  check_size(width, height);
  check_threads(threads);
  with_words(width * height, [&]<int Words>() {
    const auto& g = geometry<Words>(width, height);
    const auto count = white_to_move.size();
    std::vector<Position<Words>> positions;
    positions.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto side = unpacked<Words>(g, stones, count, i);
      auto position = Position<Words>(g);
      for (const auto colour : {kBlack, kWhite}) {
        side[colour].for_each([&](int cell) {
          if (!position.over()) position.place(cell, colour);
        });
      }
      if (position.over()) throw std::invalid_argument("position " + std::to_string(i) + " is over");
      position.set_turn(white_to_move[i] ? kWhite : kBlack);
      positions.push_back(position);
    }
    Threads workers(threads);
    workers.split(std::int64_t(count), [&](std::int64_t begin, std::int64_t end) {
      std::optional<NodeKnowledge<Words>> knowledge;  // it is large
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        if (!knowledge) knowledge.emplace(g);
        const auto& position = positions[i];
        const auto verdict = knowledge->judge(position, NodeKnowledge<Words>::stones_of(position), true);
        proof[i] = std::int8_t(verdict.proof);
        winning[i] = verdict.winning;
        auto worth = verdict.moves - verdict.pruned;
        if (!worth.any()) worth = position.empty();
        const auto cells = std::size_t(g.cells);
        for (std::size_t cell = 0; cell < cells; ++cell) moves[i * cells + cell] = worth.test(int(cell));
      }
    });
  });
}

}  // namespace fingal
