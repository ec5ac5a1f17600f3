// What a net says of positions, checked.
#pragma once

#include <cmath>
#include <span>
#include <stdexcept>
#include <string>

#include "bits.hpp"

namespace fingal {

// Throws std::invalid_argument when a logit of an empty cell is not finite; logits [cells].
template <int Words>
void check_logits(const Bits<Words>& empty, std::span<const float> logits) {
  bool finite = true;
  empty.for_each([&](int cell) { finite = finite && std::isfinite(logits[std::size_t(cell)]); });
  if (!finite) throw std::invalid_argument("a net's logits of empty cells must be finite");
}

// The same, and when the value is none: from -1 to 1, with a little room for what was rounded.
template <int Words>
void check_evaluation(const Bits<Words>& empty, std::span<const float> logits, float value) {
  check_logits(empty, logits);
  if (!(std::abs(value) <= 1.001F)) {
    throw std::invalid_argument("a net's value must be from -1 to 1, not " + std::to_string(value));
  }
}

}  // namespace fingal
