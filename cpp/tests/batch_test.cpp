// A batch of games against single boards, on one thread and on several.
#include "core/batch.hpp"

#include "check.hpp"
#include "core/board.hpp"

using namespace fingal;

namespace {

// std::vector<bool> has no data(): a plain array of bools behind a span.
struct Flags {
  explicit Flags(std::size_t count) : data(new bool[count]()), span(data.get(), count) {}
  std::unique_ptr<bool[]> data;
  std::span<bool> span;
};

void compare_with_boards(int width, int height, bool swap, int threads) {
  constexpr std::size_t count = 37;
  const auto cells = std::size_t(width * height);
  const auto batch = Batch::make(width, height, count, swap, threads);
  std::vector<Board> boards(count, Board(width, height, swap));
  std::vector<std::int32_t> action(count), last(count);
  std::vector<float> reward(count);
  std::vector<std::uint64_t> stones(2 * count * std::size_t(batch->words()));
  Flags over(count), plane(count * cells * 4), legal(count * (cells + 1)), white(count);
  for (int ply = 0; ply < 3 * width * height + 3; ++ply) {
    batch->random_actions(std::uint64_t(ply), action);
    batch->step(action, reward, over.span);
    batch->observe(plane.span, legal.span);
    batch->pack(stones, white.span, last);
    for (std::size_t i = 0; i < count; ++i) {
      auto& board = boards[i];
      board.play(action[i] == int(cells) ? kSwap : Move(action[i]));
      CHECK(over.span[i] == (board.winner() != kNobody));
      CHECK(reward[i] == (over.span[i] ? 1.0F : 0.0F));
      if (over.span[i]) board = Board(width, height, swap);
      CHECK(last[i] == (over.span[i] ? -1 : action[i]));
      CHECK(white.span[i] == (board.turn() == kWhite));
      CHECK(legal.span[i * (cells + 1) + cells] == board.can_swap());
      for (std::size_t cell = 0; cell < cells; ++cell) {
        const int colour = board.colour_at(int(cell));
        const bool* four = &plane.span[(i * cells + cell) * 4];
        CHECK(four[0] == (colour == board.turn()));
        CHECK(four[1] == (colour == other(board.turn())));
        CHECK(four[2] == (board.turn() == kWhite));
        CHECK(four[3] == board.can_swap());
        CHECK(legal.span[i * (cells + 1) + cell] == (colour == kNobody));
      }
      for (const auto colour : {kBlack, kWhite}) {
        const auto words = board.packed(colour);
        const auto at = (colour * count + i) * words.size();
        CHECK(std::equal(words.begin(), words.end(), stones.begin() + std::ptrdiff_t(at)));
      }
    }
  }
}

void loaded_positions_come_back() {
  const auto batch = Batch::make(3, 3, 2, false, 1);
  const std::vector<std::uint64_t> stones = {0b000000011, 0, 0b000011000, 0b1};
  Flags white(2);
  white.span[1] = true;
  batch->unpack(stones, white.span);
  std::vector<std::uint64_t> back(4);
  Flags turn(2);
  std::vector<std::int32_t> last(2);
  batch->pack(back, turn.span, last);
  CHECK(back == stones);
  CHECK(!turn.span[0] && turn.span[1]);
  CHECK(last[0] == -1);
  CHECK(refuses([&] { batch->unpack(std::vector<std::uint64_t>{1, 0, 1, 0}, white.span); }, "position 0 is broken"));
  CHECK(refuses([&] { batch->unpack(std::vector<std::uint64_t>{0, 512, 0, 0}, white.span); }, "position 1 is broken"));
  CHECK(refuses([&] { batch->unpack(std::vector<std::uint64_t>{0b001001001, 0, 0, 0}, white.span); }, "already won"));
  batch->pack(back, turn.span, last);
  CHECK(back == stones);
}

void illegal_actions_change_nothing() {
  const auto batch = Batch::make(3, 3, 2, true, 1);
  std::vector<float> reward(2);
  Flags over(2);
  batch->step(std::vector<std::int32_t>{4, 4}, reward, over.span);
  std::vector<std::uint64_t> before(4), after(4);
  Flags white(2);
  std::vector<std::int32_t> last(2);
  batch->pack(before, white.span, last);
  const auto step = [&](std::int32_t a, std::int32_t b) {
    batch->step(std::vector<std::int32_t>{a, b}, reward, over.span);
  };
  CHECK(refuses([&] { step(0, 4); }, "game 1 is illegal: cell b2 is occupied"));
  CHECK(refuses([&] { step(-1, 0); }, "from 0 to 9"));
  CHECK(refuses([&] { step(10, 0); }, "from 0 to 9"));
  batch->pack(after, white.span, last);
  CHECK(before == after);
  step(9, 0);
  CHECK(refuses([&] { step(9, 1); }, "swap-pieces"));
}

}  // namespace

int main() {
  for (const int threads : {1, 3}) {
    for (const int side : {1, 2, 5, 8, 11, 13, 19}) {
      for (const bool swap : {false, true}) compare_with_boards(side, side, swap, threads);
    }
    compare_with_boards(3, 5, false, threads);
    compare_with_boards(16, 17, false, threads);
  }
  loaded_positions_come_back();
  illegal_actions_change_nothing();
  CHECK(refuses([] { Batch::make(3, 3, 0, false, 1); }, "at least 1"));
  return verdict();
}
