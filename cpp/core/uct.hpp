// Monte Carlo tree search without a net, in the manner of MoHex 2.0 (Huang, Arneson, Hayward, Mueller and Pawlewicz
// 2013): playouts drawn by patterns, all moves as first, priors from patterns and resistance, knowledge from
// connections and inferior cells at nodes with visits enough. Threads share one tree. Priors may come from a net
// outside: a visit that needs them waits, others go on, and a run ends when all wait or find nothing to wait for.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>

#include "choice.hpp"
#include "node_knowledge.hpp"
#include "pattern_playout.hpp"
#include "pattern_prior.hpp"
#include "selection.hpp"
#include "threads.hpp"

namespace fingal {

struct UctSettings {
  RaveSettings rave;
  int expand = 1;      // so many playouts begin at a node before it gets its moves
  int knowledge = 20;  // a node with so many visits is asked for its connections and inferior cells; 0: none is
  int net = 0;         // the root, and a node with more visits than this, gets a net's priors; 0: none does
  int in_flight = 1;   // so many visits, and one a thread at least, may wait for a net at once
};

// What a run may cost; it also ends when the root is proven, and when all visits wait for a net.
struct UctLimits {
  std::int64_t simulations = 0;
  std::int64_t nodes = 0;  // that the tree may have
  std::chrono::steady_clock::time_point deadline;
  // Of all that the run is a part of: what is asked for is answered well before.
  std::chrono::steady_clock::time_point end;
};

template <int Words>
class Uct {
 public:
  using Clock = std::chrono::steady_clock;
  using Set = Bits<Words>;

  Uct(const Position<Words>& root, Move last, std::shared_ptr<const PatternModel> model, const UctSettings& settings,
      std::uint64_t seed, int threads)
      : model_(std::move(model)),
        settings_(settings),
        around_(root.geometry()),
        root_(root),
        base_(root),
        patterns_(around_),
        last_(last),
        threads_(threads) {
    for (int i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(root.geometry(), *model_));
    for (int i = 0; i < std::max(threads, settings.in_flight); ++i) {
      visits_.push_back(std::make_unique<Visit>(root, around_, Random::stream(seed, std::uint64_t(i))));
    }
    restart();
  }

  const Tree& tree() const { return tree_; }
  bool expanded() const { return tree_.edge_count[0] > 0; }

  // A new root position, an empty tree.
  void set_root(const Position<Words>& root, Move last) {
    cancel();
    root_ = root;
    last_ = last;
    was_proven_ = false;
    restart();
  }

  // The same, and nothing is left of what an exception may have left half done.
  void begin_anew(const Position<Words>& root, Move last) {
    for (const auto& visit : visits_) visit->state = kIdle;
    for (auto& worker : workers_) worker->knowledge.forget();
    set_root(root, last);
  }

  // Plays a move at the root and keeps the tree below it.
  void advance(Move move) {
    cancel();
    was_proven_ = was_proven_ || tree_.proof[0] != kUnknown;
    auto edge = Tree::kNowhere;
    for (auto e = tree_.first_edge[0]; e < tree_.first_edge[0] + tree_.edge_count[0]; ++e) {
      if (tree_.move[std::size_t(e)] == move) edge = e;
    }
    root_.play(move);
    last_ = move;
    if (edge == Tree::kNowhere || tree_.child[std::size_t(edge)] == Tree::kNowhere) return restart();
    tree_.move_root(edge);
    open_root();
  }

  // The root is known to be won by a move, or lost.
  void prove(Proof proof, Move winning) {
    prepare_root();
    tree_.proof[0] = proof;
    for (auto e = tree_.first_edge[0]; e < tree_.first_edge[0] + tree_.edge_count[0]; ++e) {
      if (tree_.move[std::size_t(e)] == winning) tree_.edge_proof[std::size_t(e)] = kWon;
    }
  }

  // Simulates until a limit is reached, the root is proven, or all visits wait. Returns the number of simulations. A
  // root that was never visited, or follows from one that was proven, gets a visit however late it is.
  std::int64_t run(const UctLimits& limits) {
    prepare_root();
    const bool fresh = tree_.total_visits[0] == 0 || proves_again();
    std::atomic<std::int64_t> begun{0}, done{0};
    for (const auto& visit : visits_) begun += visit->state != kIdle;
    threads_.split(std::int64_t(workers_.size()), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        auto& worker = *workers_[i];
        // What was begun is brought to its end, whatever the limits; then one visit after the other until it waits,
        // or finds nothing to wait for while others do. Where a limit ended the last run, this one goes on.
        for (auto v = i; v < visits_.size(); v += workers_.size()) {
          if (visits_[v]->state == kAnswered) done += simulate(*visits_[v], worker, limits);
        }
        for (auto& v = worker.next; v < visits_.size(); v += workers_.size()) {
          auto& visit = *visits_[v];
          while (visit.state != kWaiting && visit.patience > 0) {
            const auto number = begun++;
            if (number >= limits.simulations) return;
            if (Clock::now() >= limits.deadline && !(fresh && number == 0)) return;
            if (simulate(visit, worker, limits)) {
              ++done;
              visit.patience -= waiting_ > 0;
            } else if (visit.state != kWaiting) {
              return;
            }
          }
        }
      }
    });
    return done;
  }

  // The positions whose priors visits wait for, as they are on the board: without what is filled in. In the order in
  // which answer() takes what a net says of them.
  std::vector<std::pair<Position<Words>, Move>> waiting() const {
    std::vector<std::pair<Position<Words>, Move>> found;
    for (const auto& visit : visits_) {
      if (visit->state == kWaiting) found.push_back(bare(visit->node));
    }
    return found;
  }
  // Logits, [number of waiting(), cells]: the visits can go on.
  void answer(std::span<const float> logits) {
    const auto cells = std::size_t(root_.geometry().cells);
    for (const auto& visit : visits_) {
      if (visit->state != kWaiting) continue;
      const auto said = logits.first(cells);
      logits = logits.subspan(cells);
      const auto node = visit->node;
      if (tree_.edge_count[std::size_t(node)] == 0) {
        expand(node, moves_of(visit->position), [&](int cell) { return said[std::size_t(cell)]; });
      } else {
        std::vector<float> of_moves;
        for (const auto move : tree_.of(tree_.move, node)) of_moves.push_back(said[std::size_t(move)]);
        tree_.renew_priors(node, of_moves);
      }
      tree_.net_prior[std::size_t(node)] = kFromNet;
      visit->state = kAnswered;
    }
    begin_with_the_first();
  }
  // Takes back the visits that wait or were answered.
  void cancel() {
    for (const auto& visit : visits_) {
      if (visit->state == kIdle) continue;
      if (visit->state == kWaiting) tree_.net_prior[std::size_t(visit->node)] = kFromPatterns;
      tree_.cancel(visit->node);
      visit->state = kIdle;
    }
    begin_with_the_first();
  }

 private:
  static constexpr auto kCells = std::size_t(64 * Words);
  static constexpr int kPatience = 4;
  // Tree::asked. After a move has been played, equal moves are no longer left out below.
  enum : std::uint8_t { kNotAsked, kBeingAsked, kAsked, kAskAgain, kCutShort };
  // Tree::net_prior.
  enum : std::uint8_t { kFromPatterns, kFromNetSoon, kFromNet };

  // What one thread needs for itself.
  struct Worker {
    Worker(const Geometry<Words>& g, const PatternModel& model) : playout(model.playout), prior(g), knowledge(g) {}

    std::size_t next = 0;  // the visit that is under way, among those of the thread
    PatternPlayout<Words> playout;
    PatternPrior<Words> prior;
    NodeKnowledge<Words> knowledge;
  };

  // A way down the tree. It belongs to one thread, and may stop half-way to wait for a net.
  enum State : std::uint8_t { kIdle, kWaiting, kAnswered };
  struct Visit {
    Visit(const Position<Words>& root, const Surroundings<Words>& around, Random r)
        : position(root), patterns(around), random(r) {}

    Position<Words> position;
    PatternBoard<Words> patterns;
    Move last = -1;
    std::int32_t node = 0;
    State state = kIdle;
    int patience = kPatience;  // games that it may still make while others wait
    Random random;
  };

  // Nothing waits.
  void begin_with_the_first() {
    for (std::size_t i = 0; i < workers_.size(); ++i) workers_[i]->next = i;
    for (const auto& visit : visits_) visit->patience = kPatience;
    waiting_ = 0;
  }

  void restart() {
    begin_with_the_first();
    tree_.clear();
    fills_.clear();
    tree_.add_node(Tree::kNowhere, Tree::kNowhere);
    base_ = root_;
    ready_ = false;
  }

  // What was filled in, and which of equal moves were left out, was reasoned from the old root, and may not be mixed
  // with what will be said at the new one. A proof that rests on connections names no move, and a root needs one.
  void open_root() {
    std::fill(tree_.fill.begin(), tree_.fill.end(), 0);
    std::fill(tree_.asked.begin(), tree_.asked.end(), kAskAgain);
    fills_.clear();
    tree_.asked[0] = kNotAsked;
    tree_.net_prior[0] = kFromPatterns;
    tree_.proof[0] = kUnknown;
    base_ = root_;
    ready_ = false;
  }

  // The root's moves.
  void prepare_root() {
    if (ready_) return;
    ready_ = true;
    patterns_ = patterns_of(base_);
    auto& worker = *workers_[0];
    worker.prior.look(root_, patterns_, last_);
    renew_edges(worker);
    const auto wins = root_.winning_cells(root_.turn());
    if (!wins.any()) return;
    // Other moves may win too, but not at once.
    tree_.proof[0] = kWon;
    for (auto e = std::size_t(tree_.first_edge[0]); e < tree_.move.size(); ++e) {
      tree_.edge_proof[e] = wins.test(tree_.move[e]) ? kWon : kUnknown;
    }
  }

  PatternBoard<Words> patterns_of(const Position<Words>& position) const {
    PatternBoard<Words> patterns(around_);
    patterns.place_all(position.stones(kBlack), position.stones(kWhite));
    return patterns;
  }

  // The root gets all moves there are, with what is known of them.
  void renew_edges(Worker& worker) {
    const auto first = tree_.first_edge[0], count = tree_.edge_count[0];
    const float before = tree_.net_value[0];
    expand(0, root_.empty(), [&](int cell) { return worker.prior.logit(cell, model_->prior); });
    if (count == 0) return;
    tree_.net_value[0] = before;
    tree_.take_over(0, first, count);
  }

  static void put_stones(Position<Words>& position, const std::array<Set, 2>& stones) {
    for (const auto colour : {kBlack, kWhite}) {
      (stones[colour] & position.empty()).for_each([&](int cell) {
        if (!position.over()) position.place(cell, colour);
      });
    }
  }

  // One game, or what is left of it; false when it has to wait for a net, when there is nothing left to find out, and
  // when there is no room.
  bool simulate(Visit& visit, Worker& worker, const UctLimits& limits) {
    std::unique_lock lock(mutex_);
    if (visit.state == kIdle) {
      if (tree_.proof[0] != kUnknown || tree_.nodes() >= limits.nodes) return false;
      if (wants_knowledge(0, limits)) {
        ask_root(worker, limits, lock);
        if (tree_.proof[0] != kUnknown) return false;
      }
      visit.position = base_;
      visit.patterns = patterns_;
      visit.last = last_;
      visit.node = 0;
    }
    visit.state = kIdle;
    auto& node = visit.node;
    for (;;) {
      const auto n = std::size_t(node);
      if (tree_.proof[n] != kUnknown || decided(visit)) {
        back_up(node, float(tree_.proof[n]));
        return true;
      }
      if (wants_knowledge(node, limits)) {
        const auto root = NodeKnowledge<Words>::stones_of(base_);
        const auto verdict = ask(worker, node, visit.position, root, time_to_ask(limits), lock);
        if (verdict) apply(node, *verdict);
        continue;
      }
      if (tree_.asked[n] == kBeingAsked) break;  // nothing below may be asked before it is known what is filled in
      if (wants_net(node)) {
        tree_.net_prior[n] = kFromNetSoon;
        visit.state = kWaiting;
        ++waiting_;
        return false;
      }
      if (tree_.edge_count[n] == 0) {
        if (visits_to(node) <= float(settings_.expand) || tree_.net_prior[n] == kFromNetSoon) break;
        lock.unlock();
        worker.prior.look(visit.position, visit.patterns, visit.last);
        lock.lock();
        if (tree_.edge_count[n] == 0) {
          expand(node, moves_of(visit.position), [&](int cell) { return worker.prior.logit(cell, model_->prior); });
        }
        continue;
      }
      const auto edge = choose_rave(tree_, node, settings_.rave);
      const auto e = std::size_t(edge);
      const auto move = tree_.move[e];
      if (visit.position.stones(kBlack).test(move) || visit.position.stones(kWhite).test(move)) {
        rule_out(node, edge);  // filled in above, after the node got its moves
        continue;
      }
      tree_.begin_visit(node, edge);
      const auto mover = visit.position.turn();
      visit.position.play(move);
      visit.patterns.place(move, mover);
      visit.last = move;
      if (tree_.child[e] == Tree::kNowhere) {
        const auto added = tree_.add_node(node, edge);
        tree_.child[e] = added;
      }
      node = tree_.child[e];
    }
    lock.unlock();
    const auto black = worker.playout.play(visit.position, visit.patterns, visit.last, visit.random);
    const auto winner = winner_of_full(root_.geometry(), black);
    lock.lock();
    count_all_moves(node, black, winner, visit.position.turn());
    back_up(node, winner == visit.position.turn() ? 1.0F : -1.0F);
    return true;
  }

  void back_up(std::int32_t node, float value) {
    tree_.back_up(node, value);
    if (settings_.rave.least_reply > 0) tree_.back_up_replies(node, settings_.rave.least_reply);
  }

  void ask_root(Worker& worker, const UctLimits& limits, std::unique_lock<std::mutex>& lock) {
    // A win must not be forgotten for want of time; on small boards this is enough to find it again.
    constexpr auto kGrace = std::chrono::milliseconds(10);
    const auto least = proves_again() ? kGrace : std::chrono::milliseconds(0);
    const auto time = std::max<Clock::duration>(time_to_ask(limits), least);
    const auto verdict = ask(worker, 0, root_, NodeKnowledge<Words>::stones_of(root_), time, lock);
    if (!verdict) return;
    was_proven_ = false;
    base_ = root_;
    put_stones(base_, verdict->stones);
    patterns_ = patterns_of(base_);
    apply(0, *verdict);
  }

  // What is known of a node's position, which follows from `before`; nothing when the time was not enough. Others may
  // go on meanwhile.
  std::optional<NodeVerdict<Words>> ask(Worker& worker, std::int32_t node, const Position<Words>& position,
                                        const typename NodeKnowledge<Words>::Stones& before, Clock::duration time,
                                        std::unique_lock<std::mutex>& lock) {
    const auto n = std::size_t(node);
    const bool again = tree_.asked[n] != kNotAsked;
    tree_.asked[n] = kBeingAsked;
    lock.unlock();
    worker.knowledge.set_deadline(Clock::now() + time);
    auto verdict = worker.knowledge.ask(position, before, node == 0);
    lock.lock();
    if (verdict.cut_short) {
      tree_.asked[n] = kCutShort;
      not_enough_ = std::max(not_enough_, time);
      return {};
    }
    tree_.asked[n] = kAsked;
    if (again) verdict.pruned = {};
    return verdict;
  }

  float visits_to(std::int32_t node) const {
    return node == 0 ? tree_.total_visits[0] : tree_.visits[std::size_t(tree_.parent_edge[std::size_t(node)])];
  }

  bool wants_knowledge(std::int32_t node, const UctLimits& limits) const {
    // What is said of a position without moves, which waits for them, would be lost.
    if (tree_.edge_count[std::size_t(node)] == 0 && tree_.net_prior[std::size_t(node)] == kFromNetSoon) return false;
    const auto asked = tree_.asked[std::size_t(node)];
    if (settings_.knowledge == 0 || asked == kBeingAsked || asked == kAsked) return false;
    if (node == 0 && proves_again()) return true;
    if (visits_to(node) <= float(settings_.knowledge)) return false;
    // In the same run there is ever less time; a longer one may ask again.
    return time_to_ask(limits) > (asked == kCutShort ? 2 * not_enough_ : Clock::duration(0));
  }

  // A question may take half of the time that is left, since games are needed too.
  static Clock::duration time_to_ask(const UctLimits& limits) { return (limits.end - Clock::now()) / 2; }

  // Whether the root follows from one that was proven, and has not been asked yet.
  bool proves_again() const { return was_proven_ && tree_.asked[0] == kNotAsked; }

  bool wants_net(std::int32_t node) const {
    return settings_.net > 0 && tree_.net_prior[std::size_t(node)] == kFromPatterns &&
           (node == 0 || visits_to(node) > float(std::max(settings_.net, settings_.expand)));
  }

  // A node's position as it is on the board, and its last move.
  std::pair<Position<Words>, Move> bare(std::int32_t node) const {
    std::vector<Move> line;
    for (auto n = std::size_t(node); tree_.parent[n] != Tree::kNowhere; n = std::size_t(tree_.parent[n])) {
      line.push_back(tree_.move[std::size_t(tree_.parent_edge[n])]);
    }
    auto position = root_;
    for (auto move = line.rbegin(); move != line.rend(); ++move) position.play(*move);
    return {position, line.empty() ? last_ : line.front()};
  }

  // Fills in what is known to be filled from here on; then whether the game is over or will be at the next move.
  bool decided(Visit& visit) {
    const auto node = visit.node;
    const auto n = std::size_t(node);
    auto& position = visit.position;
    if (tree_.fill[n] > 0 && !position.over()) {
      const auto& stones = fills_[std::size_t(tree_.fill[n] - 1)];
      const std::array<Set, 2> before{position.stones(kBlack), position.stones(kWhite)};
      put_stones(position, stones);
      for (const auto colour : {kBlack, kWhite}) {
        (position.stones(colour) - before[colour]).for_each([&](int cell) { visit.patterns.place(cell, colour); });
      }
    }
    if (position.over()) {
      tree_.proof[n] = position.winner() == position.turn() ? kWon : kLost;
    } else if (node != 0 && tree_.edge_count[n] == 0) {
      if (position.winning_cells(position.turn()).any()) {
        tree_.proof[n] = kWon;
      } else if (position.winning_cells(other(position.turn())).count() > 1) {
        tree_.proof[n] = kLost;
      }
    }
    return tree_.proof[n] != kUnknown;
  }

  // A threat to win at once has one answer.
  static Set moves_of(const Position<Words>& position) {
    const auto threats = position.winning_cells(other(position.turn()));
    return threats.any() ? threats : position.empty();
  }

  // Gives a node its moves: these cells, with the logits that a function of a cell says.
  template <class F>
  void expand(std::int32_t node, const Set& cells, F&& logit) {
    std::array<Move, kCells> moves;
    std::array<float, kCells> logits;
    std::size_t count = 0;
    cells.for_each([&](int cell) {
      moves[count] = Move(cell);
      logits[count++] = logit(cell);
    });
    float value = 0;
    if (node != 0) {
      const auto e = std::size_t(tree_.parent_edge[std::size_t(node)]);
      value = -(tree_.value_sum[e] + 1) / std::max(tree_.visits[e] - 1, 1.0F);  // without the visit under way
    }
    tree_.expand(node, {moves.data(), count}, {logits.data(), count}, value);
  }

  // Takes in what connections and inferior cells say of a node.
  void apply(std::int32_t node, const NodeVerdict<Words>& verdict) {
    const auto n = std::size_t(node);
    if (verdict.proof != kUnknown) {
      tree_.proof[n] = verdict.proof;
      if (node != 0) return;
    }
    const auto moves = verdict.moves - verdict.pruned;
    if (node != 0) {
      fills_.push_back(verdict.stones);
      tree_.fill[n] = std::int32_t(fills_.size());
    }
    bool open = tree_.edge_count[n] == 0;
    for (auto e = std::size_t(tree_.first_edge[n]); e < std::size_t(tree_.first_edge[n] + tree_.edge_count[n]); ++e) {
      if (tree_.move[e] == verdict.winning) tree_.edge_proof[e] = kWon;
      if (!moves.test(tree_.move[e])) tree_.edge_proof[e] = kLost;
      open = open || tree_.edge_proof[e] != kLost;
    }
    if (!open) tree_.proof[n] = kLost;
  }

  void rule_out(std::int32_t node, std::int32_t edge) {
    tree_.edge_proof[std::size_t(edge)] = kLost;
    const auto proofs = tree_.of(tree_.edge_proof, node);
    if (std::all_of(proofs.begin(), proofs.end(), [](Proof p) { return p == kLost; }))
      tree_.proof[std::size_t(node)] = kLost;
  }

  // All moves as first: every node above counts the moves that its side to move made, at whatever time.
  void count_all_moves(std::int32_t leaf, const Set& black, Colour winner, Colour turn) {
    for (auto n = std::size_t(leaf); tree_.parent[n] != Tree::kNowhere;) {
      n = std::size_t(tree_.parent[n]);
      turn = other(turn);
      const float value = winner == turn ? 1.0F : -1.0F;
      const auto first = std::size_t(tree_.first_edge[n]), end = first + std::size_t(tree_.edge_count[n]);
      for (auto e = first; e < end; ++e) {
        const auto made = float(black.test(tree_.move[e]) == (turn == kBlack));
        tree_.rave_visits[e] += made;
        tree_.rave_sum[e] += made * value;
      }
    }
  }

  std::shared_ptr<const PatternModel> model_;
  UctSettings settings_;
  Surroundings<Words> around_;
  Position<Words> root_;          // the stones alone
  Position<Words> base_;          // with what is filled in at the root
  PatternBoard<Words> patterns_;  // of base_
  Move last_;
  bool ready_ = false;  // whether the root has its moves
  // Whether a root before this one was proven: what it rested on may not be in the tree, and is asked for at once.
  bool was_proven_ = false;
  Clock::duration not_enough_{};  // the longest that a question had which was cut short
  Tree tree_{true};
  std::vector<std::array<Set, 2>> fills_;  // by Tree::fill: all stones of a node's position, with what is filled in
  std::mutex mutex_;                       // of the tree and the fills
  std::vector<std::unique_ptr<Worker>> workers_;  // one a thread
  std::vector<std::unique_ptr<Visit>> visits_;    // number v is of thread v % threads
  std::atomic<int> waiting_{0};                   // visits
  Threads threads_;
};

}  // namespace fingal
