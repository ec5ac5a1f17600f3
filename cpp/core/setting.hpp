// Settings from outside, checked.
#pragma once

#include <sstream>
#include <stdexcept>

namespace fingal {

// Throws std::invalid_argument with the setting's name unless it is a number from `least` to `most`.
inline void check_setting(const char* name, double value, double least, double most) {
  if (value >= least && value <= most) return;
  std::ostringstream sentence;
  sentence << name << "=" << value << " is not possible: from " << least << " to " << most;
  throw std::invalid_argument(sentence.str());
}

}  // namespace fingal
