// Arrays at the border: contiguous, on the CPU, of the expected size.
#pragma once

#include <nanobind/ndarray.h>

#include <span>
#include <stdexcept>
#include <string>

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

}  // namespace fingal
