// Methods of objects that refuse a second thread: each has a BusyFlag named `busy`.
#pragma once

#include <utility>

namespace fingal {

// A method that changes its object, to be bound.
template <class R, class T, class... Args>
auto changing(R (T::*method)(Args...)) {
  return [method](T& self, Args... args) -> R {
    const auto use = self.busy.change();
    return (self.*method)(std::forward<Args>(args)...);
  };
}

// A method that only reads it.
template <class R, class T, class... Args>
auto reading(R (T::*method)(Args...) const) {
  return [method](const T& self, Args... args) -> R {
    const auto use = self.busy.read();
    return (self.*method)(std::forward<Args>(args)...);
  };
}

}  // namespace fingal
