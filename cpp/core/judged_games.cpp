#include "judged_games.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "game_knowledge.hpp"
#include "named_games.hpp"
#include "spread.hpp"
#include "threads.hpp"

namespace fingal {
namespace {

template <int Words>
class SizedJudgedGames final : public JudgedGames {
 public:
  SizedJudgedGames(int width, int height, std::int64_t count, bool connections, int threads)
      : JudgedGames(width, height, count),
        geometry_(&geometry<Words>(width, height)),
        connections_(connections),
        positions_(*geometry_, count),
        games_(std::size_t(count)),
        rooms_(std::size_t(threads)),
        threads_(threads) {}

  void reset() override {
    for (std::int32_t number = 0; number < count(); ++number) {
      positions_[number] = Position<Words>(*geometry_);
      auto& game = games_[std::size_t(number)];
      game.verdict = {};
      if (game.knowledge) game.knowledge->begin();
    }
  }

  void play(std::span<const std::int32_t> games, std::span<const std::int32_t> cell, std::span<bool> over) override {
    positions_.check_moves(games, cell);
    for (std::size_t i = 0; i < games.size(); ++i) {
      auto& game = games_[std::size_t(games[i])];
      auto& position = positions_[games[i]];
      if (game.knowledge && game.knowledge->winner() == position.turn() && cell[i] != game.verdict.winning) {
        game.knowledge->forget();
      }
      game.verdict = {};
      position.play(cell[i]);
      over[i] = position.over();
    }
  }

  void judge(std::span<const std::int32_t> games, std::span<std::int8_t> proof, std::span<std::int32_t> winning,
             std::span<bool> moves) override {
    positions_.check_going(games);
    // One at a time to whoever is free: some take ten times as long as others.
    std::atomic<std::size_t> next = 0;
    threads_.split(std::int64_t(rooms_.size()), [&](std::int64_t begin, std::int64_t end) {
      if (begin == end) return;
      for (std::size_t i; (i = next++) < games.size();) {
        auto& game = games_[std::size_t(games[i])];
        auto& room = rooms_[std::size_t(begin)];
        try {
          judge(game, positions_[games[i]], room);
        } catch (...) {
          game.knowledge.reset();  // what they hold is half done
          room.reset();
          throw;
        }
        proof[i] = std::int8_t(game.verdict.proof);
        winning[i] = game.verdict.winning;
        spread(game.verdict.moves, cells(), moves.data() + i * std::size_t(cells()));
      }
    });
  }

 private:
  using Room = std::optional<typename GameKnowledge<Words>::Room>;  // made when it is first needed

  struct Game {
    GameVerdict<Words> verdict{};                       // the last one
    std::unique_ptr<GameKnowledge<Words>> knowledge{};  // it is large: made when it is first needed
  };

  void judge(Game& game, const Position<Words>& position, Room& room) const {
    if (const auto wins = position.winning_cells(position.turn()); wins.any()) {
      game.verdict = {kWon, Move(wins.lowest()), position.empty()};
    } else if (!connections_) {
      game.verdict = {kUnknown, -1, position.empty()};
    } else if (is_early(position)) {
      const auto inferior = compute_inferior(position, position.turn(), {false, true});
      const auto left = position.empty() - (inferior.fill[kBlack] | inferior.fill[kWhite] | inferior.pruned);
      game.verdict = {kUnknown, -1, left.any() ? left : position.empty()};
    } else {
      if (!room) room.emplace(*geometry_);
      if (!game.knowledge) game.knowledge = std::make_unique<GameKnowledge<Words>>(*geometry_);
      game.verdict = game.knowledge->judge(position, *room);
    }
  }

  // A search for connections costs the same after one move as after several, and with this few stones it decides
  // nothing: on boards beyond 7x7.
  bool is_early(const Position<Words>& position) const {
    const int stones = position.stones(kBlack).count() + position.stones(kWhite).count();
    return stones < 2 * (std::min(width(), height()) - 7);
  }

  const Geometry<Words>* geometry_;
  bool connections_;
  NamedGames<Words> positions_;
  std::vector<Game> games_;
  std::vector<Room> rooms_;  // one a thread
  Threads threads_;
};

}  // namespace

std::unique_ptr<JudgedGames> JudgedGames::make(int width, int height, std::int64_t count, bool connections,
                                               int threads) {
  check_games(width, height, count, threads);
  return with_words(width * height, [&]<int Words>() -> std::unique_ptr<JudgedGames> {
    return std::make_unique<SizedJudgedGames<Words>>(width, height, count, connections, threads);
  });
}

}  // namespace fingal
