// The board against the slow oracle; moves taken back; swap; symmetry; chains; refusals.
#include "core/board.hpp"

#include <algorithm>

#include "check.hpp"
#include "slow_hex.hpp"

using namespace fingal;

namespace {

const std::vector<std::pair<int, int>> kSizes = {{1, 1}, {1, 7},   {7, 1},   {2, 2},   {3, 5},   {8, 8},
                                                 {7, 9}, {11, 11}, {13, 14}, {16, 16}, {16, 17}, {19, 19}};

bool touch(int width, int a, int b) {
  const int row = b / width - a / width;
  const int column = b % width - a % width;
  return (row == 0 && (column == 1 || column == -1)) || (column == 0 && (row == 1 || row == -1)) ||
         (row == -1 && column == 1) || (row == 1 && column == -1);
}

void check_chain(const Board& board) {
  const auto chain = board.winning_chain();
  const int winner = board.winner();
  if (winner == kNobody) {
    CHECK(chain.empty());
    return;
  }
  const auto line = [&](int cell) { return winner == kBlack ? cell / board.width() : cell % board.width(); };
  CHECK(!chain.empty());
  CHECK(line(chain.front()) == 0);
  CHECK(line(chain.back()) == (winner == kBlack ? board.height() : board.width()) - 1);
  for (std::size_t i = 0; i < chain.size(); ++i) {
    CHECK(board.colour_at(chain[i]) == winner);
    if (i > 0) CHECK(touch(board.width(), chain[i - 1], chain[i]));
  }
}

// A random game, compared after every move, then taken back to the start with every hash and winner as before.
void compare_game(int width, int height, Random& random) {
  Board board(width, height, false);
  SlowHex slow(width, height);
  std::vector<std::uint64_t> hashes{board.hash()};
  while (board.winner() == kNobody) {
    const auto empty = board.empty_cells();
    const int cell = empty[std::size_t(random.below(int(empty.size())))];
    slow.stone[std::size_t(cell)] = board.turn();
    board.play(Move(cell));
    CHECK(board.winner() == slow.winner());
    CHECK(std::find(hashes.begin(), hashes.end(), board.hash()) == hashes.end());
    hashes.push_back(board.hash());
  }
  check_chain(board);
  for (const auto symmetry : {Symmetry::kRotation, Symmetry::kMirror}) {
    const auto image = board.transformed(symmetry);
    CHECK(image.winner() == (symmetry == Symmetry::kMirror ? 1 - board.winner() : board.winner()));
    CHECK(image.transformed(symmetry) == board);
  }
  while (!board.moves().empty()) {
    CHECK(board.hash() == hashes[board.moves().size()]);
    board.undo();
    CHECK(board.winner() == kNobody);
  }
  CHECK(board.hash() == hashes[0]);
  CHECK(board == Board(width, height, false));
}

void swap_moves_the_stone() {
  Board board(5, 5, true);
  CHECK(!board.can_swap());
  board.play(Move(parse_cell("d2", 5, 5)));
  CHECK(board.can_swap());
  const auto before = board.hash();
  board.play(kSwap);
  CHECK(board.colour_at(parse_cell("b4", 5, 5)) == kWhite);
  CHECK(board.colour_at(parse_cell("d2", 5, 5)) == kNobody);
  CHECK(board.turn() == kBlack);
  CHECK(!board.can_swap());
  CHECK(board.undo() == kSwap);
  CHECK(board.hash() == before);
  CHECK(board.can_swap());
  board.play(0);
  CHECK(!board.can_swap());
  CHECK(refuses([&] { board.play(kSwap); }, "White's first move"));
  // The stone on the long diagonal stays where it is and changes hands.
  Board middle(3, 3, true);
  middle.play(4);
  middle.play(kSwap);
  CHECK(middle.colour_at(4) == kWhite);
}

void set_up_is_a_new_start() {
  Board board(3, 3, false);
  board.play(0);
  board.set_stone(4, kWhite);
  CHECK(board.moves().empty());
  CHECK(board.turn() == kWhite);
  CHECK(board.colour_at(0) == kBlack);
  board.set_stone(0, kNobody);
  CHECK(board.colour_at(0) == kNobody);
  board.set_stone(3, kWhite);
  board.set_stone(5, kWhite);
  CHECK(board.winner() == kWhite);
  board.set_stone(4, kBlack);
  CHECK(board.winner() == kNobody);
}

void illegal_moves_change_nothing() {
  Board board(3, 3, false);
  board.play(4);
  const auto before = board.hash();
  CHECK(refuses([&] { board.play(4); }, "b2 is occupied"));
  CHECK(refuses([&] { board.play(9); }, "from a1 to c3"));
  CHECK(refuses([&] { board.play(-2); }, "off the board"));
  CHECK(refuses([&] { board.play(kSwap); }, "without it"));
  CHECK(board.hash() == before && board.moves().size() == 1);
  board.play(0);
  board.play(1);
  board.play(2);
  board.play(7);
  CHECK(board.winner() == kBlack);
  CHECK(refuses([&] { board.play(8); }, "game is over: Black has won"));
  CHECK(refuses([] { Board(0, 3, false); }, "0x3 is not possible"));
  CHECK(refuses([] { Board(20, 20, false); }, "from 1 to 19"));
  CHECK(refuses([] { Board(3, 4, true); }, "square"));
}

void cells_have_names() {
  CHECK(cell_name(0, 11) == "a1");
  CHECK(cell_name(120, 11) == "k11");
  CHECK(parse_cell("S19", 19, 19) == 360);
  for (const char* text : {"", "a", "a0", "a01", "1a", "a1b", "aa1", "a111",
                           "\xc3\xa4"
                           "1",
                           "a-1"}) {
    CHECK(refuses([&] { parse_cell(text, 11, 11); }, "is not a cell"));
  }
  CHECK(refuses([] { parse_cell("l1", 11, 11); }, "'l1' is off the board"));
  CHECK(refuses([] { parse_cell("a12", 11, 11); }, "a1 to k11"));
}

}  // namespace

int main() {
  Random random(2024);
  for (const auto& [width, height] : kSizes) {
    for (int game = 0; game < 20; ++game) compare_game(width, height, random);
  }
  swap_moves_the_stone();
  set_up_is_a_new_start();
  illegal_moves_change_nothing();
  cells_have_names();
  return verdict();
}
