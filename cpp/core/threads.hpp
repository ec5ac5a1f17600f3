// A few threads that wait for loops to share.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace fingal {

// Throws std::invalid_argument for a number of threads that no work is shared by.
inline void check_threads(int threads) {
  constexpr int kMost = 1024;
  if (threads < 1) throw std::invalid_argument(std::to_string(threads) + " threads are not possible: at least 1");
  if (threads > kMost) {
    throw std::invalid_argument(std::to_string(threads) + " threads are not possible: at most " +
                                std::to_string(kMost));
  }
}

class Threads {
 public:
  // `count` threads in all, the caller's included.
  explicit Threads(int count) {
    try {
      for (int i = 1; i < count; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (...) {
      // The system gives no more: those that run must end before their handles go.
      stop();
      throw std::runtime_error(std::to_string(count) + " threads cannot be started on this machine");
    }
  }

  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  ~Threads() { stop(); }

  // Calls body(begin, end) on parts of [0, count), one part a thread, and returns when all are done. What a part throws
  // is thrown here, after all have ended; of several exceptions, the first.
  void split(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body) {
    const auto parts = std::int64_t(workers_.size()) + 1;
    if (parts == 1) return body(0, count);
    {
      const std::lock_guard lock(mutex_);
      body_ = &body;
      count_ = count;
      running_ = parts - 1;
      ++round_;
    }
    wake_.notify_all();
    run_part(body, 0, begin_of(1, count));
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
  }

  // Where a part begins; the first parts may be longer by one. No product is larger than the count.
  std::int64_t begin_of(int part, std::int64_t count) const {
    const auto parts = std::int64_t(workers_.size()) + 1;
    return count / parts * part + std::min<std::int64_t>(part, count % parts);
  }

  void run_part(const std::function<void(std::int64_t, std::int64_t)>& body, std::int64_t begin, std::int64_t end) {
    try {
      body(begin, end);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void work(int part) {
    for (std::uint64_t seen = 0;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
      const auto* body = body_;
      const auto count = count_;
      lock.unlock();
      run_part(*body, begin_of(part, count), begin_of(part + 1, count));
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(std::int64_t, std::int64_t)>* body_ = nullptr;
  std::int64_t count_ = 0;
  std::int64_t running_ = 0;
  std::uint64_t round_ = 0;
  std::exception_ptr error_;  // the first of this round
  bool stopping_ = false;
  std::vector<std::thread> workers_;  // last: it must be gone before what the threads use
};

}  // namespace fingal
