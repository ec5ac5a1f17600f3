// Games for a policy: they go as boards go, and copies of them go on by themselves.
#include "core/policy_games.hpp"

#include <vector>

#include "check.hpp"
#include "core/bridge_planes.hpp"
#include "core/random.hpp"
#include "slow_hex.hpp"

using namespace fingal;

namespace {

struct Flags {
  explicit Flags(std::size_t count) : data(new bool[count]()), span(data.get(), count) {}
  std::unique_ptr<bool[]> data;
  std::span<bool> span;
};

std::vector<std::uint8_t> planes_of(PolicyGames& games, std::int32_t row) {
  std::vector<std::uint8_t> planes(std::size_t(kBridgePlanes * (games.width() + 2) * (games.height() + 2)));
  games.planes(std::vector<std::int32_t>{row}, planes);
  return planes;
}

void goes_as_boards_go(int width, int height) {
  const auto games = PolicyGames::make(width, height, 3, 2);
  const auto cells = std::size_t(width * height);
  auto random = Random::stream(std::uint64_t(width), std::uint64_t(height));
  std::vector<int> order(cells);
  SlowHex slow(width, height);
  for (std::size_t i = 0; i < cells; ++i) order[i] = int(i);
  for (std::size_t i = cells; i > 1; --i) std::swap(order[i - 1], order[std::size_t(random.below(int(i)))]);
  bool ended = false;
  for (std::size_t ply = 0; ply < cells && !ended; ++ply) {
    Flags over(1), empty(cells), winning(cells);
    games->empty(std::vector<std::int32_t>{1}, empty.span);
    games->winning(std::vector<std::int32_t>{1}, winning.span);
    for (std::size_t c = 0; c < cells; ++c) {
      CHECK(empty.span[c] == (slow.stone[c] < 0));
      if (cells > 130 && ply % 16 > 0) continue;  // the slow way takes its time on large boards
      auto after = slow;
      if (slow.stone[c] < 0) after.stone[c] = int(ply % 2);
      CHECK(winning.span[c] == (after.winner() >= 0));
    }
    games->play(std::vector<std::int32_t>{1}, std::vector<std::int32_t>{order[ply]}, over.span);
    slow.stone[std::size_t(order[ply])] = int(ply % 2);
    ended = over.span[0];
    CHECK(ended == (slow.winner() >= 0));
    std::vector<std::int8_t> winner(3);
    games->winner(std::vector<std::int32_t>{0, 1, 2}, winner);
    CHECK(winner[0] == -1 && winner[2] == -1);
    CHECK(winner[1] == slow.winner());
  }
  CHECK(ended);
}

}  // namespace

int main() {
  for (const auto& [width, height] : {std::pair{1, 1}, {2, 2}, {3, 5}, {11, 11}, {16, 16}, {19, 19}, {19, 1}}) {
    goes_as_boards_go(width, height);
  }

  // Copied over each other, games change places; a copy goes its own way.
  const auto games = PolicyGames::make(5, 4, 2, 1), more = PolicyGames::make(5, 4, 4, 1);
  Flags over(2);
  games->play(std::vector<std::int32_t>{0, 1}, std::vector<std::int32_t>{3, 7}, over.span);
  const auto first = planes_of(*games, 0), second = planes_of(*games, 1);
  CHECK(first != second);
  games->copy(*games, std::vector<std::int32_t>{0, 1}, std::vector<std::int32_t>{1, 0});
  CHECK(planes_of(*games, 0) == second && planes_of(*games, 1) == first);
  more->copy(*games, std::vector<std::int32_t>{1, 1}, std::vector<std::int32_t>{3, 0});
  CHECK(planes_of(*more, 3) == first && planes_of(*more, 0) == first);
  more->play(std::vector<std::int32_t>{3}, std::vector<std::int32_t>{0}, over.span);
  CHECK(planes_of(*more, 0) == first && planes_of(*games, 1) == first && planes_of(*more, 3) != first);
  more->reset(std::vector<std::int32_t>{0, 3});
  CHECK(planes_of(*more, 0) == planes_of(*more, 1) && planes_of(*more, 3) == planes_of(*more, 1));

  const auto other = PolicyGames::make(4, 5, 1, 1);
  CHECK(refuses([&] { games->copy(*other, std::vector<std::int32_t>{0}, std::vector<std::int32_t>{0}); }, "4x5"));
  CHECK(refuses([&] { games->play(std::vector<std::int32_t>{2}, std::vector<std::int32_t>{0}, over.span); }, "game 2"));
  CHECK(refuses([&] { games->play(std::vector<std::int32_t>{0}, std::vector<std::int32_t>{7}, over.span); }, "cell 7"));
  CHECK(refuses([&] { games->play(std::vector<std::int32_t>{0, 0}, std::vector<std::int32_t>{0, 1}, over.span); },
                "twice"));
  CHECK(refuses([&] { PolicyGames::make(20, 1, 1, 1); }, "20x1"));
  CHECK(refuses([&] { PolicyGames::make(2, 2, 0, 1); }, "0 games"));
  return verdict();
}
