// Threads that share loops, and the flag that refuses a second thread.
#include "core/threads.hpp"

#include <array>
#include <atomic>
#include <new>

#include "check.hpp"
#include "core/busy.hpp"

using namespace fingal;

namespace {

// Every number is done once, whatever the number of parts.
void test_parts_cover_the_loop() {
  for (const int threads : {1, 2, 3, 7}) {
    Threads workers(threads);
    for (const std::int64_t count : {0, 1, 2, 6, 7, 8, 100}) {
      std::array<std::atomic<int>, 100> done{};
      workers.split(count, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i) ++done[std::size_t(i)];
      });
      for (std::size_t i = 0; i < done.size(); ++i) CHECK(done[i] == (std::int64_t(i) < count));
    }
  }
}

// What one part throws comes out when all have ended, and the threads work on.
void test_exceptions_come_out() {
  Threads workers(4);
  for (const std::int64_t thrower : {0, 1, 2, 3}) {
    std::atomic<int> ended = 0;
    bool thrown = false;
    try {
      workers.split(4, [&](std::int64_t begin, std::int64_t) {
        ++ended;
        if (begin == thrower) throw std::bad_alloc();
      });
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    CHECK(thrown);
    CHECK(ended == 4);
  }
  std::atomic<int> parts = 0;
  workers.split(4, [&](std::int64_t, std::int64_t) { ++parts; });
  CHECK(parts == 4);
}

template <class F>
bool is_refused(F&& use) {
  try {
    use();
    return false;
  } catch (const BusyError&) {
    return true;
  }
}

void test_a_change_excludes_everything_and_reads_exclude_changes() {
  const BusyFlag flag("this thing");
  const auto change = [&] { const auto use = flag.change(); };
  const auto read = [&] { const auto use = flag.read(); };
  {
    const auto use = flag.change();
    CHECK(is_refused(change));
    CHECK(is_refused(read));
  }
  {
    const auto first = flag.read(), second = flag.read();
    CHECK(is_refused(change));
    CHECK(!is_refused(read));
  }
  CHECK(!is_refused(change));
  CHECK(!is_refused(read));
}

// Of several threads that change one number, none is refused while it changes it, and none changes it beside another.
void test_only_one_of_several_threads_gets_the_flag() {
  const BusyFlag flag("this thing");
  Threads workers(4);
  int number = 0;  // plain: the flag is what orders the changes
  std::atomic<int> changed = 0;
  workers.split(4, [&](std::int64_t, std::int64_t) {
    for (int i = 0; i < 10'000; ++i) {
      if (is_refused([&] {
            const auto use = flag.change();
            ++number;
          })) {
        continue;
      }
      ++changed;
    }
  });
  CHECK(number == changed);
  CHECK(number > 0);
}

}  // namespace

int main() {
  test_parts_cover_the_loop();
  test_exceptions_come_out();
  test_a_change_excludes_everything_and_reads_exclude_changes();
  test_only_one_of_several_threads_gets_the_flag();
  return verdict();
}
