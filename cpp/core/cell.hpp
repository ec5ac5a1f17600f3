// Cells as text: a column letter and a row number, from the top-left corner.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "position.hpp"

namespace fingal {

inline std::string size_name(int width, int height) { return std::to_string(width) + "x" + std::to_string(height); }

inline void check_size(int width, int height) {
  if (width >= 1 && width <= kMaxSide && height >= 1 && height <= kMaxSide) return;
  throw std::invalid_argument("a board of " + size_name(width, height) +
                              " is not possible: width and height run from 1 to " + std::to_string(kMaxSide));
}

// The colour of a number from outside; throws std::invalid_argument when there is none.
inline Colour to_colour(int number) {
  if (number == kBlack || number == kWhite) return Colour(number);
  throw std::invalid_argument("colour " + std::to_string(number) + " is not possible: 0 is Black, 1 is White");
}

// "a1", "k11"; the cell must be on the board.
inline std::string cell_name(int cell, int width) {
  return char('a' + cell % width) + std::to_string(cell / width + 1);
}

inline std::string board_range(int width, int height) {
  return "cells of a " + size_name(width, height) + " board run from a1 to " + cell_name(width * height - 1, width);
}

// The cell that `text` names, in either case; throws std::invalid_argument with one sentence otherwise.
inline int parse_cell(std::string_view text, int width, int height) {
  const auto fail = [&](const char* what) -> int {
    std::string shown;
    for (const char c : text.substr(0, 20)) shown += c >= ' ' && c <= '~' ? c : '?';
    throw std::invalid_argument("'" + shown + "' " + what + ": " + board_range(width, height));
  };
  if (text.size() < 2 || text.size() > 3) return fail("is not a cell");
  const int column = (text[0] | 32) - 'a';
  if (column < 0 || column >= 26 || text[1] < '1' || text[1] > '9') return fail("is not a cell");
  int row = text[1] - '0';
  if (text.size() == 3) {
    if (text[2] < '0' || text[2] > '9') return fail("is not a cell");
    row = row * 10 + text[2] - '0';
  }
  if (column >= width || row > height) return fail("is off the board");
  return (row - 1) * width + column;
}

// A cell, or "swap" or "swap-pieces" for kSwap.
inline Move parse_move(std::string_view text, int width, int height) {
  if (text == "swap" || text == "swap-pieces") return kSwap;
  return Move(parse_cell(text, width, height));
}

inline std::string move_name(Move move, int width) { return move == kSwap ? "swap-pieces" : cell_name(move, width); }

}  // namespace fingal
