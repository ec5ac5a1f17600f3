// A few threads that wait for loops to share.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace fingal {

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

  // Calls body(begin, end) on parts of [0, count), one part a thread, and returns when all are done.
  // The body must not throw.
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
    body(0, count / parts);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
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

  void work(int part) {
    for (std::uint64_t seen = 0;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || round_ != seen; });
      if (stopping_) return;
      seen = round_;
      const auto* body = body_;
      const auto parts = std::int64_t(workers_.size()) + 1;
      const auto count = count_;
      lock.unlock();
      (*body)(count* part / parts, count * (part + 1) / parts);
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
  bool stopping_ = false;
  std::vector<std::thread> workers_;  // last: it must be gone before what the threads use
};

}  // namespace fingal
