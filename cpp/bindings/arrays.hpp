// Arrays at the border: contiguous, on the CPU, of the expected size.
#pragma once

#include <nanobind/ndarray.h>

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

// A vector handed to Python as an array, without a copy.
template <class T>
nanobind::ndarray<nanobind::numpy, T> as_array(std::vector<T>&& values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  const nanobind::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nanobind::ndarray<nanobind::numpy, T>(kept->data(), shape, owner);
}

}  // namespace fingal
