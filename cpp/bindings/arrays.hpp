// Arrays at the border: contiguous, on the CPU, of the expected size.
#pragma once

#include <nanobind/ndarray.h>

#include <algorithm>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace fingal {

template <class T>
using Array = nanobind::ndarray<T, nanobind::numpy, nanobind::c_contig, nanobind::device::cpu>;

template <class T>
std::span<T> checked(const Array<T>& array, std::int64_t size, const char* name) {
  if (std::int64_t(array.size()) != size) {
    throw std::invalid_argument(std::string(name) + " has " + std::to_string(array.size()) + " elements, expected " +
                                std::to_string(size));
  }
  return {array.data(), array.size()};
}

// The same for bytes that say yes or no: any other byte would be no bool.
inline std::span<const bool> checked_flags(const Array<const bool>& array, std::int64_t size, const char* name) {
  const auto flags = checked(array, size, name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(flags.data());
  if (!std::all_of(bytes, bytes + flags.size(), [](unsigned char byte) { return byte <= 1; })) {
    throw std::invalid_argument(std::string(name) + " holds bytes other than 0 and 1");
  }
  return flags;
}

// Where an array lies in memory.
struct Extent {
  const char* name;
  const char* begin;
  const char* end;

  template <class T>
  Extent(const char* what, std::span<T> array)
      : name(what),
        begin(reinterpret_cast<const char*>(array.data())),
        end(reinterpret_cast<const char*>(array.data() + array.size())) {}
  bool overlaps(const Extent& other) const { return begin < other.end && other.begin < end; }
};

// Throws std::invalid_argument when an array that is written to shares memory with another one of the call.
inline void check_apart(std::initializer_list<Extent> written, std::initializer_list<Extent> read = {}) {
  const auto check = [](const Extent& one, const Extent& other) {
    if (!one.overlaps(other)) return;
    throw std::invalid_argument(std::string(one.name) + " and " + other.name +
                                " share memory: what is written needs an array of its own");
  };
  for (const auto& one : written) {
    for (const auto& other : written) {
      if (&one < &other) check(one, other);
    }
    for (const auto& other : read) check(one, other);
  }
}

// A vector handed to Python as an array, without a copy.
template <class T>
nanobind::ndarray<nanobind::numpy, T> as_array(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::ndarray<nanobind::numpy, T>(kept->data(), shape, owner);
}

}  // namespace fingal
