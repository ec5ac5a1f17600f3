// CHECK(condition) and the main function's answer: as much of a test framework as these tests need.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>

inline int failures = 0;

#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) {                                                     \
      std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      ++failures;                                                           \
    }                                                                       \
  } while (false)

// Whether `f` throws std::invalid_argument with a message that contains `part`.
template <class F>
bool refuses(F&& f, const std::string& part) {
  try {
    f();
  } catch (const std::invalid_argument& error) {
    return std::string(error.what()).find(part) != std::string::npos;
  }
  return false;
}

inline int verdict() { return failures == 0 ? 0 : 1; }
