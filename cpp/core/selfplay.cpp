#include "selfplay.hpp"

#include <cmath>
#include <cstring>
#include <optional>

#include "evaluation.hpp"
#include "named_games.hpp"
#include "packed.hpp"
#include "setting.hpp"
#include "threads.hpp"

namespace fingal {
namespace {

// Plain values and vectors of plain values, one after the other.
class Writer {
 public:
  template <class T>
  void value(const T& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes.append(reinterpret_cast<const char*>(&v), sizeof v);
  }
  template <class T>
  void length(const std::vector<T>& v) {
    value(std::uint64_t(v.size()));
  }
  template <class T>
  void list(const std::vector<T>& v) {
    length(v);
    bytes.append(reinterpret_cast<const char*>(v.data()), v.size() * sizeof(T));
  }
  std::string bytes;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  template <class T>
  void value(T& v) {
    take(&v, sizeof v);
  }
  void value(bool& v) {
    std::uint8_t byte = 0;
    take(&byte, 1);
    if (byte > 1) fail();
    v = byte == 1;
  }
  void value(std::array<bool, 2>& v) {
    for (auto& one : v) value(one);
  }
  // Every element takes at least a byte, so that a broken length cannot ask for more memory than there are bytes.
  template <class T>
  void length(std::vector<T>& v) {
    std::uint64_t size = 0;
    value(size);
    if (size > bytes_.size()) fail();
    v.clear();
    v.resize(size);
  }
  template <class T>
  void list(std::vector<T>& v) {
    length(v);
    take(v.data(), v.size() * sizeof(T));
  }
  void end() const {
    if (!bytes_.empty()) fail();
  }

  [[noreturn]] static void fail() {
    throw std::invalid_argument("the saved games are broken or belong to another pool: start without them");
  }

 private:
  void take(void* to, std::size_t size) {
    if (size > bytes_.size()) fail();
    if (size > 0) std::memcpy(to, bytes_.data(), size);
    bytes_.remove_prefix(size);
  }
  std::string_view bytes_;
};

template <int Words>
class SizedPool final : public SelfplayPool {
 public:
  SizedPool(int width, int height, std::int64_t count, const SelfplaySettings& settings, std::uint64_t seed,
            int threads)
      : SelfplayPool(width, height, count),
        settings_(settings),
        start_(geometry<Words>(width, height)),
        threads_(threads) {
    set_openings({{}});
    games_.reserve(std::size_t(count));
    for (std::int64_t i = 0; i < count; ++i) {
      games_.emplace_back(start_, settings.search, Random::stream(seed, std::uint64_t(i)), i);
      begin_game(games_.back());
    }
  }

  void set_openings(const std::vector<std::vector<Move>>& lines) override {
    if (lines.empty())
      throw std::invalid_argument("no openings were given: at least one line is needed, if an empty one");
    for (const auto& line : lines) {
      auto position = start_;
      for (const auto move : line) {
        if (move < 0 || move >= cells() || !position.empty().test(move)) {
          throw std::invalid_argument("an opening holds the illegal move " + std::to_string(move));
        }
        position.play(move);
      }
      // A game that is decided from the start would never ask for a judgement.
      if (position.winning_cells(kBlack).any() || position.winning_cells(kWhite).any()) {
        throw std::invalid_argument("an opening on " + size_name(width(), height()) +
                                    " is decided already: nobody may be able to win in one move");
      }
    }
    openings_ = lines;
  }

  void select(std::span<std::uint64_t> stones, std::span<bool> white_to_move, std::span<std::int32_t> last) override {
    threads_.split(count(), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        auto& game = games_[i];
        try {
          go_to_leaf(game);
        } catch (...) {
          abandon(game);
          throw;
        }
        pack_stones(game.leaf.position, stones, games_.size(), i);
        white_to_move[i] = game.leaf.position.turn() == kWhite;
        last[i] = game.leaf.last;
      }
    });
  }

  void update(std::span<const float> logits, std::span<const float> value) override {
    const auto each = std::size_t(cells());
    threads_.split(count(), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        if (!games_[i].waiting) continue;
        check_evaluation(games_[i].leaf.position.empty(), logits.subspan(i * each, each), value[i]);
      }
    });
    threads_.split(count(), [&](std::int64_t begin, std::int64_t end) {
      for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
        auto& game = games_[i];
        if (!game.waiting) continue;
        try {
          game.search.finish(game.leaf, logits.data() + i * each, value[i]);
          game.waiting = false;
        } catch (...) {
          abandon(game);
          throw;
        }
      }
    });
  }

  Samples drain(std::vector<FinishedGame>& finished) override {
    Samples all;
    for (auto& game : games_) {
      for (auto& done : game.done) {
        append(all, done);
        finished.push_back(std::move(done.game));
      }
      game.done.clear();
    }
    return all;
  }

  ResignCount resignations() const override {
    ResignCount total;
    for (const auto& game : games_) {
      total.would_resign += game.resign.would_resign;
      total.wrong += game.resign.wrong;
    }
    return total;
  }

  std::string save() override {
    Writer out;
    out.value(std::array{width(), height()});
    out.value(count());
    for (auto& game : games_) {
      game.noise = game.search.random();
      pass(out, static_cast<State&>(game));
      drop_tree(game);
    }
    return std::move(out.bytes);
  }

  void restore(std::string_view state) override {
    Reader in(state);
    std::array<int, 2> size{};
    std::int64_t games = 0;
    in.value(size);
    in.value(games);
    if (size != std::array{width(), height()} || games != count()) {
      throw std::invalid_argument("the saved games are " + std::to_string(games) + " of " +
                                  size_name(size[0], size[1]) + ", this pool has " + std::to_string(count()) + " of " +
                                  size_name(width(), height()));
    }
    std::vector<State> states(games_.size());
    for (auto& state : states) {
      pass(in, state);
      if (!is_possible(state)) Reader::fail();
    }
    in.end();
    for (std::size_t i = 0; i < games_.size(); ++i) {
      auto& game = games_[i];
      static_cast<State&>(game) = std::move(states[i]);
      game.search.random() = game.noise;
      drop_tree(game);
    }
  }

 private:
  struct Sample {
    std::uint32_t ply = 0;
    Proof proof = kUnknown;
    float search_value = 0;
    float stakes = 0;
    std::vector<float> policy;  // [cells], or nothing after a cheap search and where all moves are proven to lose
  };

  struct Done {
    FinishedGame game;
    std::vector<Sample> samples;
  };

  // What is saved of a game.
  struct State {
    Random random{0};  // for everything but the search's own noise
    Random noise{0};   // the search's, while it is saved or restored
    std::int64_t id = 0;
    int opening = 0;
    bool play_on = false;
    std::array<int, 2> low{};       // by colour: how many moves in a row the value was below resign_below
    std::array<bool, 2> gave_up{};  // by colour: would have resigned, had the game not been played on
    ResignCount resign;
    std::vector<Move> moves;
    std::vector<Sample> samples;
    std::vector<Done> done;
  };

  struct Game : State {
    Game(const Position<Words>& start, const SearchSettings& settings, Random r, std::int64_t slot)
        : search(start, -1, settings, r()), leaf{0, start, -1} {
      this->random = r;
      this->id = slot;
    }

    Search<Words> search;
    typename Search<Words>::Leaf leaf;
    bool waiting = false;  // for the judgement of `leaf`
    int simulations = 0;
    bool full = true;
  };

  // Whether a state from outside can have been saved by a pool of this size.
  bool is_possible(const State& game) const {
    const auto are_samples = [&](const std::vector<Sample>& samples, std::size_t moves) {
      std::int64_t before = -1;
      return std::all_of(samples.begin(), samples.end(), [&](const Sample& sample) {
        const bool follows = sample.ply > before && sample.ply < moves;
        before = sample.ply;
        return follows && sample.proof >= kLost && sample.proof <= kWon && std::isfinite(sample.search_value) &&
               std::isfinite(sample.stakes) &&
               (sample.policy.empty() || sample.policy.size() == std::size_t(cells())) &&
               std::all_of(sample.policy.begin(), sample.policy.end(),
                           [](float share) { return std::isfinite(share); });
      });
    };
    const auto opens = [](int opening, const std::vector<Move>& moves) {
      return opening >= 0 && std::size_t(opening) <= moves.size();
    };
    const auto end = after(game.moves);
    if (!end || end->over() || !opens(game.opening, game.moves) || !are_samples(game.samples, game.moves.size())) {
      return false;
    }
    constexpr std::int64_t kMost = std::int64_t(1) << 60;  // so that no count can overflow
    const auto is_count = [](std::int64_t number) { return number >= 0 && number <= kMost; };
    if (!is_count(game.id) || !is_count(game.resign.would_resign) || !is_count(game.resign.wrong)) return false;
    for (const int low : game.low) {
      if (low < 0 || low > kMaxCells) return false;
    }
    return std::all_of(game.done.begin(), game.done.end(), [&](const Done& done) {
      const auto last = after(done.game.moves);
      return last && is_count(done.game.id) && opens(done.game.opening, done.game.moves) &&
             (done.game.winner == kBlack || done.game.winner == kWhite) &&
             (done.game.resigned ? !last->over() : last->winner() == done.game.winner) &&
             // A side that resigns has no move, but a sample.
             are_samples(done.samples, done.game.moves.size() + done.game.resigned);
    });
  }

  // The position after moves from outside; nothing when they are not the moves of one game.
  std::optional<Position<Words>> after(const std::vector<Move>& moves) const {
    auto position = start_;
    for (const auto move : moves) {
      if (position.over() || move < 0 || move >= cells() || !position.empty().test(move)) return std::nullopt;
      position.play(move);
    }
    return position;
  }

  // One order for both ways, to a Writer and from a Reader.
  template <class Archive>
  static void pass(Archive& archive, State& game) {
    archive.value(game.random);
    archive.value(game.noise);
    archive.value(game.id);
    archive.value(game.opening);
    archive.value(game.play_on);
    archive.value(game.low);
    archive.value(game.gave_up);
    archive.value(game.resign);
    archive.list(game.moves);
    pass(archive, game.samples);
    archive.length(game.done);
    for (auto& done : game.done) {
      archive.value(done.game.id);
      archive.value(done.game.opening);
      archive.value(done.game.winner);
      archive.value(done.game.resigned);
      archive.list(done.game.moves);
      pass(archive, done.samples);
    }
  }
  template <class Archive>
  static void pass(Archive& archive, std::vector<Sample>& samples) {
    archive.length(samples);
    for (auto& sample : samples) {
      archive.value(sample.ply);
      archive.value(sample.proof);
      archive.value(sample.search_value);
      archive.value(sample.stakes);
      archive.list(sample.policy);
    }
  }

  bool chance(Game& game, float share) const { return float(game.random() >> 40) < share * float(1 << 24); }

  Position<Words> replay(std::span<const Move> moves) const {
    auto position = start_;
    for (const auto move : moves) position.play(move);
    return position;
  }

  void begin_game(Game& game) {
    game.moves = openings_[std::size_t(game.random.below(int(openings_.size())))];
    game.opening = int(game.moves.size());
    game.samples.clear();
    game.low = {};
    game.gave_up = {};
    game.play_on = chance(game, settings_.play_on_share);
    drop_tree(game);
  }

  // After an exception, such as one for want of memory, the game is half done: another one begins.
  void abandon(Game& game) {
    game.waiting = false;
    game.opening = 0;
    game.moves.clear();
    game.samples.clear();
    game.search.begin_anew(start_, -1);
    begin_game(game);
  }

  void drop_tree(Game& game) {
    game.waiting = false;
    game.search.set_root(replay(game.moves), game.moves.empty() ? Move(-1) : game.moves.back());
    begin_move(game);
  }

  void begin_move(Game& game) {
    game.full = chance(game, settings_.full_share);
    game.simulations = game.full ? settings_.full_simulations : settings_.cheap_simulations;
    auto search = settings_.search;
    if (!game.full) {
      search.considered = std::min(search.considered, settings_.cheap_considered);
      search.gumbel_scale *= settings_.cheap_noise;
    }
    game.search.prepare(game.simulations, search);
  }

  void go_to_leaf(Game& game) {
    if (game.waiting) return;
    for (;;) {
      auto& search = game.search;
      if (search.proven() || (search.expanded() && search.started() >= game.simulations)) {
        make_move(game);
      } else if (search.descend(game.leaf) == Search<Words>::Step::kLeaf) {
        game.waiting = true;
        return;
      }
    }
  }

  void make_move(Game& game) {
    auto& search = game.search;
    const auto& tree = search.tree();
    const auto mover = search.root().turn();
    const float value = tree.value(0);
    const auto proof = Proof(tree.proof[0]);
    if (proof == kUnknown ? game.full || settings_.cheap_positions : settings_.proven_positions) {
      auto& sample = game.samples.emplace_back();
      sample.ply = std::uint32_t(game.moves.size());
      sample.proof = proof;
      sample.search_value = value;
      if (proof == kUnknown ? game.full : proof == kWon) {
        sample.stakes = search.stakes();
        sample.policy.assign(std::size_t(cells()), 0);
        const auto policy = search.improved_policy();
        for (std::size_t i = 0; i < policy.size(); ++i) {
          sample.policy[std::size_t(tree.move[std::size_t(tree.first_edge[0]) + i])] = policy[i];
        }
      }
    }
    game.low[mover] = value < settings_.resign_below ? game.low[mover] + 1 : 0;
    if (game.low[mover] >= settings_.resign_moves) {
      if (!game.play_on) return end_game(game, other(mover), true);
      game.gave_up[mover] = true;
    }
    const auto move = tree.move[std::size_t(search.best_edge())];
    game.moves.push_back(move);
    auto next = search.root();
    next.play(move);
    if (next.over()) return end_game(game, mover, false);
    search.advance_fresh(move);
    begin_move(game);
  }

  void end_game(Game& game, Colour winner, bool resigned) {
    if (game.play_on) {
      for (const auto colour : {kBlack, kWhite}) {
        if (!game.gave_up[colour]) continue;
        ++game.resign.would_resign;
        game.resign.wrong += winner == colour;
      }
    }
    Done done{{game.id, game.opening, winner, resigned, game.moves}, {}};
    done.samples.swap(game.samples);
    game.done.push_back(std::move(done));
    game.id += count();
    begin_game(game);
  }

  void append(Samples& all, const Done& done) const {
    const auto& moves = done.game.moves;
    const auto end = replay(moves);
    auto position = start_;
    std::size_t ply = 0;
    const auto push = [&](std::vector<std::uint64_t>& to, const Bits<Words>& set) {
      to.insert(to.end(), set.word.begin(), set.word.end());
    };
    for (const auto& sample : done.samples) {
      for (; ply < sample.ply; ++ply) position.play(moves[ply]);
      push(all.black, position.stones(kBlack));
      push(all.white, position.stones(kWhite));
      push(all.final_black, done.game.resigned ? Bits<Words>{} : end.stones(kBlack));
      push(all.final_white, done.game.resigned ? Bits<Words>{} : end.stones(kWhite));
      all.white_to_move.push_back(position.turn() == kWhite);
      all.last.push_back(ply > 0 ? moves[ply - 1] : -1);
      all.reply.push_back(ply + 1 < moves.size() ? moves[ply + 1] : -1);
      if (sample.policy.empty()) {
        all.policy.resize(all.policy.size() + std::size_t(cells()), 0);
      } else {
        all.policy.insert(all.policy.end(), sample.policy.begin(), sample.policy.end());
      }
      // A side that has a proven win may still lose the game: each move is searched anew.
      const float result = position.turn() == done.game.winner ? 1.0F : -1.0F;
      all.value.push_back(sample.proof == kUnknown ? result : float(sample.proof));
      all.search_value.push_back(sample.search_value);
      all.stakes.push_back(sample.stakes);
      all.game.push_back(done.game.id);
      ++all.count;
    }
  }

  SelfplaySettings settings_;
  Position<Words> start_;
  std::vector<std::vector<Move>> openings_;
  std::vector<Game> games_;
  Threads threads_;
};

}  // namespace

std::unique_ptr<SelfplayPool> SelfplayPool::make(int width, int height, std::int64_t count,
                                                 const SelfplaySettings& settings, std::uint64_t seed, int threads) {
  check_games(width, height, count, threads);
  const auto need = [](bool holds, const char* sentence) {
    if (!holds) throw std::invalid_argument(sentence);
  };
  need(settings.full_simulations >= 1 && settings.cheap_simulations >= 1, "a search needs at least 1 simulation");
  need(settings.search.considered >= 1 && settings.cheap_considered >= 1, "at least 1 move must be considered");
  constexpr int kMostSimulations = 1 << 24;
  need(settings.full_simulations <= kMostSimulations && settings.cheap_simulations <= kMostSimulations,
       "a search of self-play has at most 16777216 simulations");
  check_settings(settings.search);
  check_setting("cheap_noise", settings.cheap_noise, 0, 1e6);
  check_setting("full_share", settings.full_share, 0, 1);
  check_setting("play_on_share", settings.play_on_share, 0, 1);
  if (std::isnan(settings.resign_below)) throw std::invalid_argument("resign_below=nan is not possible");
  need(settings.resign_moves >= 1, "a side resigns after at least 1 move");
  return with_words(width * height, [&]<int Words>() -> std::unique_ptr<SelfplayPool> {
    return std::make_unique<SizedPool<Words>>(width, height, count, settings, seed, threads);
  });
}

}  // namespace fingal
