#include "playout.hpp"

#include "cell.hpp"
#include "packed.hpp"
#include "threads.hpp"

namespace fingal {
namespace {

// Games come in blocks with a random stream each, so that the number of threads does not change the result.
constexpr std::int64_t kBlock = 1024;

template <class One>
Tally tally(std::int64_t count, std::uint64_t seed, int threads, const One& one) {
  if (count < 0) throw std::invalid_argument("a negative number of games is not possible");
  check_threads(threads);
  const auto blocks = count / kBlock + (count % kBlock != 0);
  std::mutex mutex;
  Tally total;
  Threads(threads).split(blocks, [&](std::int64_t begin, std::int64_t end) {
    Tally part;
    for (auto block = begin; block < end; ++block) {
      auto random = Random::stream(seed, std::uint64_t(block));
      const auto here = std::min(kBlock, count - block * kBlock);
      for (std::int64_t i = 0; i < here; ++i) one(random, part);
    }
    const std::lock_guard lock(mutex);
    total.wins[kBlack] += part.wins[kBlack];
    total.wins[kWhite] += part.wins[kWhite];
    total.plies += part.plies;
  });
  return total;
}

}  // namespace

Tally random_games(int width, int height, std::int64_t count, std::uint64_t seed, int threads) {
  check_size(width, height);
  return with_words(width * height, [&]<int Words>() {
    const Position<Words> start(geometry<Words>(width, height));
    return tally(count, seed, threads, [&](Random& random, Tally& part) {
      auto position = start;
      part.plies += play_randomly(position, random);
      ++part.wins[std::size_t(position.winner())];
    });
  });
}

Tally random_fills(int width, int height, std::int64_t count, std::uint64_t seed, int threads) {
  check_size(width, height);
  return with_words(width * height, [&]<int Words>() {
    const Position<Words> start(geometry<Words>(width, height));
    return tally(count, seed, threads, [&](Random& random, Tally& part) {
      part.plies += width * height;
      ++part.wins[fill_randomly(start, random)];
    });
  });
}

void fill_values(int width, int height, std::span<const std::uint64_t> stones, std::span<const bool> white_to_move,
                 int fills, std::uint64_t seed, std::span<float> values) {
  check_size(width, height);
  if (fills < 1) throw std::invalid_argument(std::to_string(fills) + " fillings are not possible: at least 1");
  with_words(width * height, [&]<int Words>() {
    const auto& g = geometry<Words>(width, height);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto side = unpacked<Words>(g, stones, values.size(), i);
      std::uint64_t mixed = white_to_move[i];
      for (const auto& own : side) {
        for (const auto word : own.word) mixed = Random(mixed ^ word)();
      }
      auto random = Random::stream(seed, mixed);
      const auto empty = g.all - (side[0] | side[1]);
      const int movers = (empty.count() + 1) / 2;
      int wins = 0;  // of the side to move
      for (int fill = 0; fill < fills; ++fill) {
        const auto chosen = random_subset(g, empty, movers, random);
        const auto winner = winner_of_full(g, side[kBlack] | (white_to_move[i] ? empty - chosen : chosen));
        wins += winner == (white_to_move[i] ? kWhite : kBlack);
      }
      values[i] = 2 * float(wins) / float(fills) - 1;
    }
  });
}

}  // namespace fingal
