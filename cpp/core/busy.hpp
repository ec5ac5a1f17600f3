// Refuses a second thread: an object that one thread changes must not be used by another one meanwhile.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>

namespace fingal {

// What an object throws that is used by two threads at once. It has then changed nothing.
class BusyError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Counts who uses an object: either one call that changes it, or any number that only read it.
class BusyFlag {
 public:
  // Ends a use when it goes out of scope.
  class Use {
   public:
    Use(Use&& other) noexcept : users_(std::exchange(other.users_, nullptr)) {}
    Use& operator=(Use&&) = delete;
    ~Use() {
      if (users_ == nullptr) return;
      if (users_->load(std::memory_order_relaxed) == kChanging) {
        users_->store(0, std::memory_order_release);
      } else {
        users_->fetch_sub(1, std::memory_order_release);
      }
    }

   private:
    friend class BusyFlag;
    explicit Use(std::atomic<int>& users) : users_(&users) {}
    std::atomic<int>* users_;
  };

  // `name`: how an error calls the object; `advice`: what else can be done than wait.
  explicit BusyFlag(const char* name, const char* advice = "") : name_(name), advice_(advice) {}

  // For a call that changes the object; throws BusyError when it is in use.
  [[nodiscard]] Use change() const {
    int none = 0;
    if (!users_.compare_exchange_strong(none, kChanging, std::memory_order_acquire)) fail();
    return Use(users_);
  }
  // For a call that only reads it; throws BusyError when it is being changed.
  [[nodiscard]] Use read() const {
    auto users = users_.load(std::memory_order_relaxed);
    do {
      if (users == kChanging) fail();
    } while (!users_.compare_exchange_weak(users, users + 1, std::memory_order_acquire));
    return Use(users_);
  }

 private:
  static constexpr int kChanging = -1;

  [[noreturn]] void fail() const {
    throw BusyError(std::string(name_) + " is at work in another thread: wait until that has ended" + advice_);
  }

  const char* name_;
  const char* advice_;
  mutable std::atomic<int> users_{0};
};

}  // namespace fingal
