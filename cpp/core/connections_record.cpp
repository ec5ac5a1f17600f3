// How connections were found, when that is recorded.
#include <algorithm>
#include <map>

#include "connections.hpp"

namespace fingal {

template <int Words>
std::uint32_t Connections<Words>::note(int x, int y, const Set& carrier) {
  found_.a = x;
  found_.b = y;
  found_.carrier = carrier;
  steps_.push_back(found_);
  return std::uint32_t(steps_.size());
}

// Stones that came after a step shorten it or make it needless: two ends that have become one need no step.
template <int Words>
std::vector<ConnectionStep<Words>> Connections<Words>::derivation(int a, int b, const Set& carrier) const {
  const auto& pair = store_.pair(a, b);
  std::uint32_t wanted = 0;
  for (const auto* list : {&pair.full, &pair.semi}) {
    for (int i = 0; i < list->count; ++i) {
      if (store_.carrier(*list, i) == carrier) wanted = store_.origin(*list, i);
    }
  }
  if (wanted == 0) return {};
  std::vector<bool> used(steps_.size() + 1);
  used[wanted] = true;
  for (auto origin = wanted; origin > 0; --origin) {
    if (!used[origin]) continue;
    for (const auto parent : steps_[origin - 1].parents) used[parent] = true;
  }
  const auto now = [&](int end) { return end >= 0 && end < cells_ ? end_of(end) : end; };
  constexpr std::uint32_t kNeedless = ~std::uint32_t{0};
  std::map<std::uint32_t, std::uint32_t> number;  // of an origin, in the list
  std::vector<Step> list;
  for (std::uint32_t origin = 1; origin <= wanted; ++origin) {
    if (!used[origin]) continue;
    auto step = steps_[origin - 1];
    step.a = now(step.a);
    step.b = now(step.b);
    step.carrier = step.carrier - own_;
    for (auto& parent : step.parents) parent = number[parent];
    if (step.a == step.b) {
      number[origin] = kNeedless;
      continue;
    }
    if (step.rule == ConnectionRule::kAnd) {
      step.middle = now(step.middle);
      if (step.parents[0] == kNeedless || step.parents[1] == kNeedless) {
        number[origin] = step.parents[step.parents[0] == kNeedless ? 1 : 0];
        continue;
      }
    }
    number[origin] = std::uint32_t(list.size());
    list.push_back(std::move(step));
  }
  list.resize(number[wanted] + 1);
  return list;
}

template std::uint32_t Connections<1>::note(int, int, const Bits<1>&);
template std::uint32_t Connections<2>::note(int, int, const Bits<2>&);
template std::uint32_t Connections<3>::note(int, int, const Bits<3>&);
template std::uint32_t Connections<4>::note(int, int, const Bits<4>&);
template std::uint32_t Connections<5>::note(int, int, const Bits<5>&);
template std::uint32_t Connections<6>::note(int, int, const Bits<6>&);
template std::vector<ConnectionStep<1>> Connections<1>::derivation(int, int, const Bits<1>&) const;
template std::vector<ConnectionStep<2>> Connections<2>::derivation(int, int, const Bits<2>&) const;
template std::vector<ConnectionStep<3>> Connections<3>::derivation(int, int, const Bits<3>&) const;
template std::vector<ConnectionStep<4>> Connections<4>::derivation(int, int, const Bits<4>&) const;
template std::vector<ConnectionStep<5>> Connections<5>::derivation(int, int, const Bits<5>&) const;
template std::vector<ConnectionStep<6>> Connections<6>::derivation(int, int, const Bits<6>&) const;

}  // namespace fingal
