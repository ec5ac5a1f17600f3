// Fixed-size bitsets: one bit a cell, as many 64-bit words as the board needs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace fingal {

constexpr int kMaxSide = 19;
constexpr int kMaxCells = kMaxSide * kMaxSide;
constexpr int kMaxWords = (kMaxCells + 63) / 64;

constexpr int words_for(int cells) { return (cells + 63) / 64; }

template <int Words>
struct Bits {
  std::array<std::uint64_t, Words> word{};

  static constexpr Bits of(int bit) {
    Bits result;
    result.set(bit);
    return result;
  }

  constexpr void set(int bit) { word[index(bit)] |= mask(bit); }
  constexpr void reset(int bit) { word[index(bit)] &= ~mask(bit); }
  constexpr bool test(int bit) const { return (word[index(bit)] >> (bit & 63)) & 1; }

  constexpr bool any() const {
    std::uint64_t all = 0;
    for (const auto w : word) all |= w;
    return all != 0;
  }

  constexpr bool intersects(const Bits& other) const { return (*this & other).any(); }
  constexpr bool within(const Bits& other) const { return !(*this - other).any(); }

  constexpr int count() const {
    int total = 0;
    for (const auto w : word) total += std::popcount(w);
    return total;
  }

  // The lowest set bit; the set must not be empty.
  constexpr int lowest() const {
    int found = 0;
    for (int i = Words - 1; i >= 0; --i) {  // with no branch for the processor to mispredict
      const auto w = word[std::size_t(i)];
      found = w ? 64 * i + std::countr_zero(w) : found;
    }
    return found;
  }

  // The bit with `rank` set bits below it; rank must be less than count().
  constexpr int select(int rank) const {
    for (int i = 0; i < Words; ++i) {
      auto w = word[std::size_t(i)];
      const int here = std::popcount(w);
      if (rank < here) {
        for (; rank > 0; --rank) w &= w - 1;
        return 64 * i + std::countr_zero(w);
      }
      rank -= here;
    }
    return -1;
  }

  template <class F>
  constexpr void for_each(F&& visit) const {
    for (int i = 0; i < Words; ++i) {
      for (auto w = word[std::size_t(i)]; w; w &= w - 1) visit(64 * i + std::countr_zero(w));
    }
  }

  friend constexpr Bits operator&(Bits a, const Bits& b) {
    for (std::size_t i = 0; i < Words; ++i) a.word[i] &= b.word[i];
    return a;
  }
  friend constexpr Bits operator|(Bits a, const Bits& b) {
    for (std::size_t i = 0; i < Words; ++i) a.word[i] |= b.word[i];
    return a;
  }
  friend constexpr Bits operator^(Bits a, const Bits& b) {
    for (std::size_t i = 0; i < Words; ++i) a.word[i] ^= b.word[i];
    return a;
  }
  // a without b
  friend constexpr Bits operator-(Bits a, const Bits& b) {
    for (std::size_t i = 0; i < Words; ++i) a.word[i] &= ~b.word[i];
    return a;
  }
  constexpr Bits& operator|=(const Bits& b) { return *this = *this | b; }
  constexpr Bits& operator&=(const Bits& b) { return *this = *this & b; }
  friend constexpr bool operator==(const Bits&, const Bits&) = default;

  // Shifts by 1 to 63 bits, towards higher and lower cells.
  constexpr Bits up(int by) const {
    Bits result;
    result.word[0] = word[0] << by;
    for (std::size_t i = 1; i < Words; ++i) {
      result.word[i] = (word[i] << by) | (word[i - 1] >> (64 - by));
    }
    return result;
  }
  constexpr Bits down(int by) const {
    Bits result;
    for (std::size_t i = 0; i + 1 < Words; ++i) {
      result.word[i] = (word[i] >> by) | (word[i + 1] << (64 - by));
    }
    result.word[Words - 1] = word[Words - 1] >> by;
    return result;
  }

 private:
  static constexpr std::size_t index(int bit) { return std::size_t(bit) >> 6; }
  static constexpr std::uint64_t mask(int bit) { return std::uint64_t{1} << (bit & 63); }
};

}  // namespace fingal
