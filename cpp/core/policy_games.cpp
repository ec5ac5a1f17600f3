#include "policy_games.hpp"

#include <string>
#include <vector>

#include "bridge_planes.hpp"
#include "named_games.hpp"
#include "packed.hpp"
#include "threads.hpp"

namespace fingal {
namespace {

// Throws unless a last move is a cell of the board or -1.
template <int Words>
void check_last(const Geometry<Words>& g, std::int32_t last, std::size_t index) {
  if (last >= -1 && last < g.cells) return;
  throw std::invalid_argument("position " + std::to_string(index) + " has its last move, " + std::to_string(last) +
                              ", off the board");
}

template <int Words>
Position<Words> position_of(const Geometry<Words>& g, const std::array<Bits<Words>, 2>& stones, bool white_to_move) {
  Position<Words> position(g);
  for (const auto colour : {kBlack, kWhite}) {
    stones[colour].for_each([&](int cell) { position.place(cell, colour); });
  }
  position.set_turn(white_to_move ? kWhite : kBlack);
  return position;
}

template <int Words>
class SizedPolicyGames final : public PolicyGames {
 public:
  SizedPolicyGames(int width, int height, std::int64_t count, int threads)
      : PolicyGames(width, height, count),
        geometry_(&geometry<Words>(width, height)),
        frame_(*geometry_),
        games_(*geometry_, count),
        last_(std::size_t(count), -1),
        threads_(threads) {}

  void reset(std::span<const std::int32_t> games) override {
    games_.check_known(games);
    for (const auto game : games) put(game, Position<Words>(*geometry_), -1);
  }

  void set(std::span<const std::int32_t> games, std::span<const std::uint64_t> stones,
           std::span<const bool> white_to_move, std::span<const std::int32_t> last) override {
    games_.check_different(games);
    std::vector<Position<Words>> loaded;
    for (std::size_t i = 0; i < games.size(); ++i) {
      check_last(*geometry_, last[i], i);
      loaded.push_back(position_of(*geometry_, unpacked(*geometry_, stones, games.size(), i), white_to_move[i]));
    }
    for (std::size_t i = 0; i < games.size(); ++i) put(games[i], loaded[i], last[i]);
  }

  void pack(std::span<const std::int32_t> games, std::span<std::uint64_t> stones, std::span<bool> white_to_move,
            std::span<std::int32_t> last) const override {
    games_.check_known(games);
    for (std::size_t i = 0; i < games.size(); ++i) {
      const auto& position = games_[games[i]];
      pack_stones(position, stones, games.size(), i);
      white_to_move[i] = position.turn() == kWhite;
      last[i] = last_[std::size_t(games[i])];
    }
  }

  void copy(const PolicyGames& source, std::span<const std::int32_t> from, std::span<const std::int32_t> to) override {
    if (source.width() != width() || source.height() != height()) {
      throw std::invalid_argument("games of " + size_name(source.width(), source.height()) +
                                  " cannot be copied to games of " + size_name(width(), height()));
    }
    const auto& theirs = static_cast<const SizedPolicyGames&>(source);
    theirs.games_.check_known(from);
    games_.check_different(to);
    // By way of a copy, since games may be copied over each other.
    std::vector<std::pair<Position<Words>, std::int32_t>> taken;
    taken.reserve(from.size());
    for (const auto game : from) taken.emplace_back(theirs.games_[game], theirs.last_[std::size_t(game)]);
    for (std::size_t i = 0; i < to.size(); ++i) put(to[i], taken[i].first, taken[i].second);
  }

  void play(std::span<const std::int32_t> games, std::span<const std::int32_t> cell, std::span<bool> over) override {
    games_.check_moves(games, cell);
    for (std::size_t i = 0; i < games.size(); ++i) {
      games_[games[i]].play(cell[i]);
      last_[std::size_t(games[i])] = cell[i];
      over[i] = games_[games[i]].over();
    }
  }

  void planes(std::span<const std::int32_t> games, std::span<std::uint8_t> out) override {
    games_.check_known(games);
    const auto each = std::size_t(kBridgePlanes * frame_.cells());
    threads_.split(std::int64_t(games.size()), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        frame_.write(games_[games[i]], last_[std::size_t(games[i])], out.data() + i * each);
      }
    });
  }

  void empty(std::span<const std::int32_t> games, std::span<bool> out) const override {
    games_.check_known(games);
    for (std::size_t i = 0; i < games.size(); ++i) {
      spread(games_[games[i]].empty(), cells(), out.data() + i * std::size_t(cells()));
    }
  }

  void winning(std::span<const std::int32_t> games, std::span<bool> out) const override {
    games_.check_known(games);
    for (std::size_t i = 0; i < games.size(); ++i) {
      const auto& position = games_[games[i]];
      spread(position.winning_cells(position.turn()), cells(), out.data() + i * std::size_t(cells()));
    }
  }

  void winner(std::span<const std::int32_t> games, std::span<std::int8_t> out) const override {
    games_.check_known(games);
    for (std::size_t i = 0; i < games.size(); ++i) out[i] = std::int8_t(games_[games[i]].winner());
  }

 private:
  void put(std::int32_t game, const Position<Words>& position, std::int32_t last) {
    games_[game] = position;
    last_[std::size_t(game)] = last;
  }

  const Geometry<Words>* geometry_;
  BridgeFrame<Words> frame_;
  NamedGames<Words> games_;
  std::vector<std::int32_t> last_;  // by game: the last move's cell, -1 for none
  Threads threads_;
};

}  // namespace

std::unique_ptr<PolicyGames> PolicyGames::make(int width, int height, std::int64_t count, int threads) {
  check_games(width, height, count, threads);
  return with_words(width * height, [&]<int Words>() -> std::unique_ptr<PolicyGames> {
    return std::make_unique<SizedPolicyGames<Words>>(width, height, count, threads);
  });
}

void bridge_planes(int width, int height, std::span<const std::uint64_t> stones, std::span<const bool> white_to_move,
                   std::span<const std::int32_t> last, std::span<std::uint8_t> planes) {
  check_size(width, height);
  with_words(width * height, [&]<int Words>() {
    const auto& g = geometry<Words>(width, height);
    const BridgeFrame<Words> frame(g);
    for (std::size_t i = 0; i < last.size(); ++i) {
      check_last(g, last[i], i);
      unpacked(g, stones, last.size(), i);
    }
    for (std::size_t i = 0; i < last.size(); ++i) {
      const auto position = position_of(g, unpacked(g, stones, last.size(), i), white_to_move[i]);
      frame.write(position, last[i], planes.data() + i * std::size_t(kBridgePlanes * frame.cells()));
    }
  });
}

}  // namespace fingal
