// Hex as a beginner would write it: the oracle for the fast board.
#pragma once

#include <set>
#include <utility>
#include <vector>

struct SlowHex {
  int width;
  int height;
  std::vector<int> stone;  // -1, 0 (Black), 1 (White), row by row

  SlowHex(int w, int h) : width(w), height(h), stone(std::size_t(w * h), -1) {}

  int at(int row, int column) const { return stone[std::size_t(row * width + column)]; }

  bool wins(int colour) const {
    std::set<std::pair<int, int>> seen;
    std::vector<std::pair<int, int>> todo;
    const auto visit = [&](int row, int column) {
      if (row < 0 || row >= height || column < 0 || column >= width || at(row, column) != colour) return;
      if (seen.emplace(row, column).second) todo.emplace_back(row, column);
    };
    for (int i = 0; i < (colour == 0 ? width : height); ++i) colour == 0 ? visit(0, i) : visit(i, 0);
    while (!todo.empty()) {
      const auto [row, column] = todo.back();
      todo.pop_back();
      if (colour == 0 ? row == height - 1 : column == width - 1) return true;
      visit(row, column - 1);
      visit(row, column + 1);
      visit(row - 1, column);
      visit(row + 1, column);
      visit(row - 1, column + 1);
      visit(row + 1, column - 1);
    }
    return false;
  }

  int winner() const { return wins(0) ? 0 : wins(1) ? 1 : -1; }
};
