// Many games of one size, played in lockstep, with what connections say of each.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "busy.hpp"

namespace fingal {

// Every game keeps its connections from move to move, so that a position costs what its last moves changed. What is
// known may differ from what a search from scratch finds where the limits of H-search leave out connections; it holds
// all the same. Without connections only moves that end the game at once are known. Arrays are row-major; `games` are
// numbers of games, all different, [k] of them.
class JudgedGames {
 public:
  static std::unique_ptr<JudgedGames> make(int width, int height, std::int64_t count, bool connections, int threads);
  virtual ~JudgedGames() = default;

  const BusyFlag busy{"this set of games"};

  int width() const { return width_; }
  int height() const { return height_; }
  int cells() const { return width_ * height_; }
  std::int64_t count() const { return count_; }

  // Every game begins again, on the empty board with Black to move.
  virtual void reset() = 0;

  // Plays cell[i] in game games[i] and says whether that has ended it. Throws std::invalid_argument, before anything
  // is played, for games and cells that are not there or not empty, and for games that are over.
  virtual void play(std::span<const std::int32_t> games, std::span<const std::int32_t> cell, std::span<bool> over) = 0;

  // Of games that are not over: proof [k] (1: the side to move wins, -1: it loses, 0: not known), winning [k] (a move
  // that wins, -1 where none is known) and moves [k, cells] (those that are worth trying; all of them when the game is
  // decided). A game stays decided for as long as the winner plays the winning moves. Throws like play.
  virtual void judge(std::span<const std::int32_t> games, std::span<std::int8_t> proof, std::span<std::int32_t> winning,
                     std::span<bool> moves) = 0;

 protected:
  JudgedGames(int width, int height, std::int64_t count) : width_(width), height_(height), count_(count) {}

 private:
  int width_;
  int height_;
  std::int64_t count_;
};

}  // namespace fingal
