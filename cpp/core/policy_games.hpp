// Many games of one size for a policy to play: planes out, moves in, and games that go on from stored positions.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "busy.hpp"

namespace fingal {

// Arrays are row-major; `games` are numbers of games, [k] of them, all different where something is changed. A game
// that is over stays so until it is reset, set or copied over. All functions throw std::invalid_argument, before
// anything is changed, for games that are not there.
class PolicyGames {
 public:
  static std::unique_ptr<PolicyGames> make(int width, int height, std::int64_t count, int threads);
  virtual ~PolicyGames() = default;

  const BusyFlag busy{"this set of games"};

  int width() const { return width_; }
  int height() const { return height_; }
  int cells() const { return width_ * height_; }
  std::int64_t count() const { return count_; }

  // The games begin again, on the empty board with Black to move.
  virtual void reset(std::span<const std::int32_t> games) = 0;
  // Games from packed positions: stones [2, k, words], white_to_move [k], last [k] (the last move's cell, -1 for none).
  // Throws, too, when stones overlap or lie off the board, or a last move does.
  virtual void set(std::span<const std::int32_t> games, std::span<const std::uint64_t> stones,
                   std::span<const bool> white_to_move, std::span<const std::int32_t> last) = 0;
  // The way back.
  virtual void pack(std::span<const std::int32_t> games, std::span<std::uint64_t> stones, std::span<bool> white_to_move,
                    std::span<std::int32_t> last) const = 0;
  // Game from[i] of `source`, which may be these games themselves, becomes game to[i] here; from may name one twice.
  virtual void copy(const PolicyGames& source, std::span<const std::int32_t> from,
                    std::span<const std::int32_t> to) = 0;

  // Plays cell[i] in game games[i] and says whether that has ended it. Throws, too, for cells that are not empty and
  // games that are over.
  virtual void play(std::span<const std::int32_t> games, std::span<const std::int32_t> cell, std::span<bool> over) = 0;

  // bridge_planes of the games: [k, kBridgePlanes, height + 2, width + 2].
  virtual void planes(std::span<const std::int32_t> games, std::span<std::uint8_t> out) = 0;
  // Which cells are empty: [k, cells].
  virtual void empty(std::span<const std::int32_t> games, std::span<bool> out) const = 0;
  // Where the side to move would win at once: [k, cells].
  virtual void winning(std::span<const std::int32_t> games, std::span<bool> out) const = 0;
  // 0 for Black, 1 for White, -1 while the game goes on: [k].
  virtual void winner(std::span<const std::int32_t> games, std::span<std::int8_t> out) const = 0;

 protected:
  PolicyGames(int width, int height, std::int64_t count) : width_(width), height_(height), count_(count) {}

 private:
  int width_;
  int height_;
  std::int64_t count_;
};

}  // namespace fingal
