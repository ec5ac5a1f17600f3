// Virtual connections of one colour (H-search): which groups, edges and empty cells it can join whatever the opponent
// does (full) or when it moves first (semi), with the empty cells that each needs, its carrier.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <vector>

#include "captured.hpp"
#include "connection_store.hpp"

namespace fingal {

template <int Words>
class TemplateTable;

struct ConnectionLimits {
  int fulls = 30;              // full connections kept for a pair of ends
  int semis = 150;             // semi connections kept for a pair of ends
  int between_cells = 20;      // cells of the largest semi connection that is kept between two empty cells
  bool templates = true;       // begin with edge templates
  bool stop_when_won = false;  // stop as soon as both edges are joined: enough where only the winner matters
  bool record = false;         // remember how each connection was found
};

enum class ConnectionRule : std::uint8_t { kTouch, kTemplate, kAnd, kOr };

// How a connection was found, from steps before it.
template <int Words>
struct ConnectionStep {
  using Set = Bits<Words>;

  ConnectionRule rule = ConnectionRule::kTouch;
  int a = 0;
  int b = 0;
  Set carrier{};
  int middle = -1;                       // of the and-rule: where its parents meet; semi when that is empty
  std::vector<std::uint32_t> parents{};  // by number
  std::vector<std::pair<int, Set>>
      captured{};  // cells that its parents may share, as a stone on this cell captures them
};

template <int Words>
class Connections {
 public:
  using Set = Bits<Words>;
  using Step = ConnectionStep<Words>;

  // `templates`: those of edge_templates() when not given; not owned.
  Connections(const Geometry<Words>& geometry, Colour colour, const ConnectionLimits& limits,
              const TemplateTable<Words>* templates = nullptr);

  // From scratch. Not checked: that no cell has two stones.
  void build(const Set& own, const Set& opponent);
  // Stones are added to what the last build or update saw. Not checked: that their cells are empty.
  void update(const Set& own_added, const Set& opponent_added);
  // Takes the last update back, exactly. Not checked: that there is one.
  void undo();

  // Builds and updates that last until then end there: what they have found holds, but there may be more.
  void set_deadline(std::chrono::steady_clock::time_point deadline) {
    deadline_ = deadline;
    cut_short_ = false;
  }
  // Whether one has ended so since the deadline was set.
  bool cut_short() const { return cut_short_; }

  Colour colour() const { return colour_; }
  const Set& own() const { return own_; }
  const Set& opponent() const { return opponent_; }
  // The end that stands for a cell: itself when empty, its group's captain or edge when it holds a stone.
  int end_of(int cell) const { return end_of_[std::size_t(cell)]; }
  int first_edge() const { return cells_; }
  int second_edge() const { return cells_ + 1; }

  // Carriers between two ends, in no order.
  std::span<const Set> full(int a, int b) const { return store_.carriers(store_.pair(a, b).full); }
  std::span<const Set> semi(int a, int b) const { return store_.carriers(store_.pair(a, b).semi); }
  bool won() const { return store_.pair(cells_, cells_ + 1).full.count > 0; }
  std::span<const Set> winning_semis() const { return semi(cells_, cells_ + 1); }
  // The carrier of fewest cells with which the edges are joined; the game must be won().
  Set smallest_win() const;

  // How one of full(a, b) or semi(a, b) was found: parents are numbers in the list, the connection itself is the last,
  // and all is said in terms of the present stones. Only with ConnectionLimits::record.
  std::vector<Step> derivation(int a, int b, const Set& carrier) const;

  template <class F>
  void for_each_full(F&& visit) const {
    for_each_pair([&](int a, int b) {
      for (const auto& carrier : full(a, b)) visit(a, b, carrier);
    });
  }
  template <class F>
  void for_each_semi(F&& visit) const {
    for_each_pair([&](int a, int b) {
      for (const auto& carrier : semi(a, b)) visit(a, b, carrier);
    });
  }

 private:
  using Store = ConnectionStore<Words>;
  using List = typename Store::List;
  struct Fresh {
    int a;
    int b;
    Set carrier;
  };

  // Where the or-rule works; kept, for it is used so often.
  struct OrRoom {
    std::vector<std::pair<int, int>> order{};  // cells and place of each semi connection
    std::vector<Set> semis{};                  // in that order
    std::vector<std::uint32_t> origins{};      // theirs, when steps are recorded
    std::vector<const Set*> usable{};
    std::vector<const Set*> used{};
  };

  struct Before {
    Set own;
    Set opponent;
    std::vector<std::uint16_t> end_of;
    std::size_t steps;
  };

  template <class F>
  void for_each_pair(F&& visit) const {
    for (int a = 0; a < store_.ends(); ++a) {
      for (int b = a + 1; b < store_.ends(); ++b) visit(a, b);
    }
  }

  bool is_open(int end) const { return end < cells_ && empty_.test(end); }
  void find_groups();
  void add_neighbours();
  void add_templates();
  void search();
  bool is_late();
  bool combine(const Fresh& fresh);
  void and_through(int x, int middle, Set carrier, std::uint32_t origin);
  void and_at(int x, int middle, int y, const Set& carrier, bool stone, std::uint32_t origin);
  bool cover(int x, int middle, int y, const Set& shared, Set& carrier);
  std::uint32_t note(int x, int y, const Set& carrier);
  bool add_full(int x, int y, const Set& carrier, std::uint32_t origin = 0);
  void add_semi(int x, int y, const Set& carrier, std::uint32_t origin = 0);
  void ask_or(int x, int y);
  void sort_semis(const List& list);
  void or_rule(int x, int y);

  std::vector<int> live_ends() const;
  std::vector<std::pair<int, int>> remove_killed(const std::vector<int>& ends, const Set& added);
  void carry_over(const std::vector<int>& ends, const Set& added);
  void renew_captured(const Set& added);
  void drop(int x, int y);
  void renew(int x, int y);
  void reopen(int x, int y);

  const Geometry<Words>* geometry_;
  Colour colour_;
  ConnectionLimits limits_;
  const TemplateTable<Words>* templates_;
  int cells_;
  Set own_;
  Set opponent_;
  Set empty_;
  std::vector<std::uint16_t> end_of_;
  CapturedPairs<Words> captured_;
  Store store_;
  std::vector<Fresh> fresh_;  // full connections to combine with others
  std::size_t next_fresh_ = 0;
  std::vector<std::pair<int, int>> to_or_;  // pairs of ends whose semi connections may make a full one
  std::size_t next_or_ = 0;
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::time_point::max();
  bool cut_short_ = false;
  std::uint32_t steps_since_look_ = 0;  // at the clock
  OrRoom or_;
  Step found_;                   // what is being added, when steps are recorded
  std::vector<Step> steps_;      // number i + 1 is the origin of what was found by step i
  std::vector<Before> history_;  // what each update changed, beside the store
};

// Where the side to move has to play against the opponent's winning semi connections: the cells that all of them need.
// All empty cells when there are none. Not for an opponent who has won().
template <int Words>
Bits<Words> must_play(const Connections<Words>& opponent, Bits<Words> empty) {
  for (const auto& carrier : opponent.winning_semis()) empty &= carrier;
  return empty;
}

}  // namespace fingal
