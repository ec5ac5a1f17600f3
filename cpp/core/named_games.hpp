// Games of one size that calls name by their numbers; what is named is checked.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "cell.hpp"
#include "threads.hpp"

namespace fingal {

// Games are named by numbers of 32 bits.
inline void check_count(std::int64_t count) {
  constexpr std::int64_t kMost = (std::int64_t(1) << 31) - 1;
  if (count < 1) throw std::invalid_argument(std::to_string(count) + " games are not possible: at least 1");
  if (count > kMost) {
    throw std::invalid_argument(std::to_string(count) + " games are not possible: at most " + std::to_string(kMost));
  }
}

inline void check_games(int width, int height, std::int64_t count, int threads) {
  check_size(width, height);
  check_count(count);
  check_threads(threads);
}

template <int Words>
class NamedGames {
 public:
  NamedGames(const Geometry<Words>& g, std::int64_t count)
      : positions_(std::size_t(count), Position<Words>(g)), named_(std::size_t(count)) {}

  std::int64_t count() const { return std::int64_t(positions_.size()); }
  Position<Words>& operator[](std::int32_t game) { return positions_[std::size_t(game)]; }
  const Position<Words>& operator[](std::int32_t game) const { return positions_[std::size_t(game)]; }

  // All of these throw std::invalid_argument in one sentence.
  void check_known(std::span<const std::int32_t> games) const {
    for (const auto game : games) {
      if (game < 0 || game >= count()) {
        throw std::invalid_argument("game " + std::to_string(game) + " is not one of " + std::to_string(count()));
      }
    }
  }
  void check_different(std::span<const std::int32_t> games) {
    check_known(games);
    ++calls_;
    for (const auto game : games) {
      if (std::exchange(named_[std::size_t(game)], calls_) == calls_) {
        throw std::invalid_argument("game " + std::to_string(game) + " is named twice");
      }
    }
  }
  void check_going(std::span<const std::int32_t> games) {
    check_different(games);
    for (const auto game : games) {
      if ((*this)[game].over()) throw std::invalid_argument("game " + std::to_string(game) + " is over");
    }
  }
  void check_moves(std::span<const std::int32_t> games, std::span<const std::int32_t> cell) {
    check_going(games);
    for (std::size_t i = 0; i < games.size(); ++i) {
      const auto& position = (*this)[games[i]];
      if (cell[i] < 0 || cell[i] >= position.geometry().cells || !position.empty().test(cell[i])) {
        throw std::invalid_argument("cell " + std::to_string(cell[i]) + " is not an empty cell of game " +
                                    std::to_string(games[i]));
      }
    }
  }

 private:
  std::vector<Position<Words>> positions_;
  std::vector<std::uint64_t> named_;  // by game: the last call that named it
  std::uint64_t calls_ = 0;
};

}  // namespace fingal
