#include "distance.hpp"

#include "cell.hpp"
#include "packed.hpp"

namespace fingal {

void measure_distances(int width, int height, Metric metric, std::span<const std::uint64_t> stones,
                       std::span<int> through, std::span<int> least, std::span<int> count) {
  check_size(width, height);
  with_words(width * height, [&]<int Words>() {
    const auto& g = geometry<Words>(width, height);
    for (std::size_t i = 0; i < least.size() / 2; ++i) {
      const auto side = unpacked<Words>(g, stones, least.size() / 2, i);
      for (const auto colour : {kBlack, kWhite}) {
        const auto at = colour * (least.size() / 2) + i;
        const auto found = distance(g, metric, colour, side[colour], side[other(colour)]);
        std::copy(found.through.begin(), found.through.end(),
                  through.begin() + std::ptrdiff_t(at * found.through.size()));
        least[at] = found.least;
        count[at] = found.count;
      }
    }
  });
}

}  // namespace fingal
