// Focused depth-first proof-number search: Henderson, "Playing and solving the game of Hex" (2010), chapter 6, with the
// thresholds of Pawlewicz and Lew, "Improving depth-first PN-search: 1 + epsilon trick" (2006).
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "knowledge.hpp"

namespace fingal {

struct SolverSettings {
  int threads = 1;
  double memory_mb = 1024;
  int wide_base = 1;          // so many moves of a position are searched at once,
  double wide_factor = 0.25;  // and this share of those that are left besides
  double epsilon = 0.25;      // how far a move's share of work may outgrow the next best's before another is tried
  bool templates = true;      // whether connections may rest on edge templates, which proofs cannot show
};

// What the threads of one search share.
struct SolverRun {
  std::atomic<bool> stop{false};
  std::atomic<std::int64_t> nodes{0};  // positions looked at
  std::int64_t node_limit = 0;
  std::chrono::steady_clock::time_point deadline;
  // How many threads are below a position, by its hash. When two positions share a number, threads spread less well.
  std::array<std::atomic<std::uint8_t>, 1 << 14> below{};

  bool over() {
    if (nodes.load(std::memory_order_relaxed) >= node_limit || std::chrono::steady_clock::now() >= deadline) {
      stop.store(true, std::memory_order_relaxed);
    }
    return stop.load(std::memory_order_relaxed);
  }
};

// One thread's search.
template <int Words>
class Dfpn {
 public:
  using Set = Bits<Words>;

  Dfpn(const Geometry<Words>& g, ProofTable<Words>& table, SolverRun& run, const SolverSettings& settings)
      : table_(&table), run_(&run), settings_(settings), knowledge_(g, limits_of(settings)) {}

  // Searches until the position is solved or the run is over. What was found is in the table.
  Entry<Words> solve(const Position<Words>& position) {
    return search(position, {position.stones(kBlack), position.stones(kWhite)}, Bounds::kInfinite, Bounds::kInfinite);
  }

  void set_policy(const MovePolicy& policy) { knowledge_.set_policy(policy); }

 private:
  static ConnectionLimits limits_of(const SolverSettings& settings) {
    ConnectionLimits limits;
    limits.templates = settings.templates;
    return limits;
  }

  // Counts a thread below a position as long as it lives.
  class Presence {
   public:
    explicit Presence(std::atomic<std::uint8_t>& count) : count_(count) {
      count_.fetch_add(1, std::memory_order_relaxed);
    }
    Presence(const Presence&) = delete;
    Presence& operator=(const Presence&) = delete;
    ~Presence() { count_.fetch_sub(1, std::memory_order_relaxed); }

   private:
    std::atomic<std::uint8_t>& count_;
  };

  struct Child {
    int move;
    Bounds bounds;
    std::uint32_t wanted;  // delta, raised where other threads are at work
  };

  struct Choice {
    Child best{-1, {}, Bounds::kInfinite};
    std::uint32_t second = Bounds::kInfinite;
  };

  Entry<Words> search(const Position<Words>& position, const std::array<Set, 2>& before, std::uint32_t phi_limit,
                      std::uint32_t delta_limit) {
    Entry<Words> entry;
    if (!table_->find(position, entry)) {
      if (run_->over()) return entry;
      knowledge_.look(position, before, entry);
      entry.work = 1;
      run_->nodes.fetch_add(1, std::memory_order_relaxed);
      table_->store(position, entry);
    }
    if (entry.bounds.solved()) return entry;

    auto filled = position;
    for (const auto colour : {kBlack, kWhite}) {
      (entry.stones[colour] - position.stones(colour)).for_each([&](int cell) { filled.place(cell, colour); });
    }
    const Presence here(run_->below[position.hash() % run_->below.size()]);
    for (;;) {
      const auto choice = choose(filled, entry);
      if (entry.bounds.solved()) knowledge_.complete(position, entry);
      table_->store(position, entry);
      if (entry.bounds.solved() || entry.bounds.phi >= phi_limit || entry.bounds.delta >= delta_limit) break;
      if (run_->stop.load(std::memory_order_relaxed)) break;
      auto next = filled;
      next.play(choice.best.move);
      const auto slack = std::uint32_t(std::min(choice.second * settings_.epsilon, double(Bounds::kInfinite)));
      // Where other threads are at work, the move need not be the one with the least delta: it has to be let in.
      const auto least = choice.best.bounds.delta + 1;
      const auto before = run_->nodes.load(std::memory_order_relaxed);
      search(next, entry.stones, delta_limit - (entry.bounds.delta - choice.best.bounds.phi),
             std::max(least, std::min(phi_limit, choice.second + 1 + slack)));
      entry.work += std::uint32_t(run_->nodes.load(std::memory_order_relaxed) - before);
    }
    return entry;
  }

  // Takes over what the table knows of the moves, and sets the position's bounds.
  Choice choose(const Position<Words>& filled, Entry<Words>& entry) {
    std::array<Child, 64 * Words> children;
    std::size_t count = 0;
    const auto consider = [&](int move) {
      auto next = filled;
      next.play(move);
      Entry<Words> found;
      if (table_->find(next, found)) {
        if (found.bounds.lost()) {
          entry.bounds = Bounds::win();
          entry.best = std::int16_t(move);
          entry.proof = found.proof | Set::of(move);
          return;
        }
        if (found.bounds.won()) {
          // The same answers win against every move that they do not need.
          entry.moves &= found.proof;
          entry.moves.reset(move);
          entry.proof |= found.proof;
          return;
        }
      }
      const auto busy = run_->below[next.hash() % run_->below.size()].load(std::memory_order_relaxed);
      children[count++] = {move, found.bounds, found.bounds.delta + busy * (1 + found.bounds.delta / 4)};
    };
    auto rest = entry.moves;
    for (std::size_t i = 0; i < entry.ordered && !entry.bounds.won(); ++i) {
      rest.reset(entry.order[i]);
      if (entry.moves.test(entry.order[i])) consider(entry.order[i]);
    }
    for (; rest.any() && !entry.bounds.won(); rest &= entry.moves) {
      const int move = rest.lowest();
      rest.reset(move);
      consider(move);
    }
    Choice choice;
    if (entry.bounds.won()) return choice;
    if (!entry.moves.any()) {
      entry.bounds = Bounds::loss();
      return choice;
    }
    const int left = entry.moves.count();
    int wide = settings_.wide_base + int(std::ceil(left * settings_.wide_factor));
    std::uint32_t phi = Bounds::kInfinite, delta = 0;
    for (std::size_t i = 0; i < count && wide > 0; ++i) {
      const auto& child = children[i];
      if (!entry.moves.test(child.move)) continue;
      --wide;
      phi = std::min(phi, child.bounds.delta);
      delta = std::min(delta + child.bounds.phi, Bounds::kInfinite - 1);
      if (child.wanted < choice.best.wanted) {
        choice.second = choice.best.wanted;
        choice.best = child;
      } else {
        choice.second = std::min(choice.second, child.wanted);
      }
    }
    entry.bounds = {phi, delta};
    return choice;
  }

  ProofTable<Words>* table_;
  SolverRun* run_;
  SolverSettings settings_;
  Knowledge<Words> knowledge_;
};

}  // namespace fingal
