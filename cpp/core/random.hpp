// SplitMix64: one word of state, so that a generator is cheap to copy, save and restore.
#pragma once

#include <cstdint>

namespace fingal {

class Random {
 public:
  explicit constexpr Random(std::uint64_t seed) : state_(seed) {}

  // The generator of stream `stream` of `seed`: streams do not overlap in practice.
  static constexpr Random stream(std::uint64_t seed, std::uint64_t stream) {
    Random mixer(seed);
    const auto base = mixer();
    Random second(base ^ (stream * 0xd1342543de82ef95U));
    return Random(second());
  }

  constexpr std::uint64_t operator()() {
    state_ += 0x9e3779b97f4a7c15U;
    auto z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  // Uniform in [0, bound) up to a bias below bound / 2^32, by multiply-shift.
  constexpr int below(int bound) { return int((((*this)() >> 32) * std::uint64_t(bound)) >> 32); }

  constexpr std::uint64_t state() const { return state_; }

 private:
  std::uint64_t state_;
};

}  // namespace fingal
