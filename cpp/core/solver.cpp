#include "solver.hpp"

#include <cmath>
#include <fstream>

#include "setting.hpp"
#include "threads.hpp"

namespace fingal {
namespace {

// The system would read the path up to a zero byte only, and so another file.
void check_path(const std::string& path) {
  if (path.find('\0') != std::string::npos) throw std::invalid_argument("a file's path holds no zero bytes");
}

template <int Words>
class SizedSolver final : public Solver {
 public:
  SizedSolver(int width, int height, const SolverSettings& settings)
      : geometry_(&geometry<Words>(width, height)),
        settings_(settings),
        table_(*geometry_, std::size_t(settings.memory_mb * (1 << 20))),
        searches_(std::size_t(settings.threads)),
        threads_(settings.threads) {
    for (auto& search : searches_) begin(search);
  }

  int run(const Board& board, std::int64_t nodes, double seconds, std::optional<std::int64_t> stops) override {
    const auto position = position_of(board);
    if (std::isnan(seconds)) throw std::invalid_argument("a limit of nan seconds is not possible");
    if (position.over()) return position.winner();
    constexpr double kYear = 3e7;
    const auto allowed = std::chrono::duration<double>(std::clamp(seconds, 0.0, kYear));
    const auto before = stops.value_or(stops_);
    run_.stop = false;
    if (stops_ != before) run_.stop = true;
    constexpr std::int64_t kMostNodes = std::int64_t(1) << 60;
    run_.node_limit = run_.nodes + std::clamp(nodes, std::int64_t(0), kMostNodes);
    run_.deadline =
        std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(allowed);
    threads_.split(settings_.threads, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = begin; i < end; ++i) {
        auto& search = searches_[std::size_t(i)];
        try {
          if (!search) this->begin(search);
          // The first to finish ends the others.
          if (search->solve(position).bounds.solved()) run_.stop = true;
        } catch (...) {
          search.reset();  // what it held of the position is half done
          run_.stop = true;
          throw;
        }
      }
    });
    return look_up(board).winner;
  }

  void stop() override {
    ++stops_;
    run_.stop = true;
  }
  std::int64_t stops() const override { return stops_; }

  void set_policy(const MovePolicy& policy) override {
    policy_ = policy;
    for (auto& search : searches_) {
      if (search) search->set_policy(policy);
    }
  }

  Finding look_up(const Board& board) const override {
    const auto position = position_of(board);
    Finding finding;
    if (position.over()) {
      finding.known = true;
      finding.winner = position.winner();
      const bool won = position.winner() == position.turn();
      finding.phi = won ? Bounds::win().phi : Bounds::loss().phi;
      finding.delta = won ? Bounds::win().delta : Bounds::loss().delta;
      return finding;
    }
    Entry<Words> entry;
    if (!table_.find(position, entry)) return finding;
    finding.known = true;
    finding.phi = entry.bounds.phi;
    finding.delta = entry.bounds.delta;
    finding.work = entry.work;
    finding.best = entry.best;
    if (entry.bounds.solved()) {
      finding.winner = entry.bounds.won() ? position.turn() : other(position.turn());
      entry.proof.for_each([&](int cell) { finding.proof.push_back(cell); });
    } else {
      for (std::size_t i = 0; i < entry.ordered; ++i) {
        if (!entry.moves.test(entry.order[i])) continue;
        finding.moves.push_back(entry.order[i]);
        entry.moves.reset(entry.order[i]);
      }
      entry.moves.for_each([&](int cell) { finding.moves.push_back(cell); });
    }
    for (const auto colour : {kBlack, kWhite}) {
      (entry.stones[colour] - position.stones(colour)).for_each([&](int cell) {
        finding.filled[colour].push_back(cell);
      });
    }
    return finding;
  }

  std::int64_t nodes() const override { return run_.nodes; }
  std::size_t table_used() const override { return table_.used(); }
  std::size_t table_capacity() const override { return table_.capacity(); }
  std::size_t table_bytes() const override { return table_.bytes(); }

  void save(const std::string& path) const override {
    check_path(path);
    std::ofstream out(path, std::ios::binary);
    table_.save(out);
    out.close();
    if (!out) throw std::runtime_error(path + " cannot be written");
  }

  void load(const std::string& path) override {
    check_path(path);
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error(path + " cannot be read");
    try {
      table_.load(in);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + " cannot be taken: " + error.what());
    }
  }

 private:
  void begin(std::unique_ptr<Dfpn<Words>>& search) {
    search = std::make_unique<Dfpn<Words>>(*geometry_, table_, run_, settings_);
    search->set_policy(policy_);
  }

  Position<Words> position_of(const Board& board) const {
    if (board.width() != geometry_->width || board.height() != geometry_->height) {
      throw std::invalid_argument("this solver is for " + std::to_string(geometry_->width) + "x" +
                                  std::to_string(geometry_->height) + " boards");
    }
    Position<Words> position(*geometry_);
    for (const auto colour : {kBlack, kWhite}) {
      Bits<Words> stones;
      const auto words = board.packed(colour);
      std::copy_n(words.begin(), stones.word.size(), stones.word.begin());
      stones.for_each([&](int cell) { position.place(cell, colour); });
    }
    position.set_turn(board.turn());
    return position;
  }

  const Geometry<Words>* geometry_;
  SolverSettings settings_;
  ProofTable<Words> table_;
  SolverRun run_;
  std::atomic<std::int64_t> stops_{0};
  MovePolicy policy_;
  std::vector<std::unique_ptr<Dfpn<Words>>> searches_;
  Threads threads_;
};

}  // namespace

std::unique_ptr<Solver> Solver::make(int width, int height, const SolverSettings& settings) {
  const Board checked(width, height, false);
  if (settings.threads < 1 || settings.threads > 256)
    throw std::invalid_argument("threads must be from 1 to 256, not " + std::to_string(settings.threads));
  check_setting("wide_base", settings.wide_base, 1, 1e6);
  check_setting("wide_factor", settings.wide_factor, 0, 1e6);
  check_setting("epsilon", settings.epsilon, 0, 1e6);
  if (!(settings.memory_mb >= 1) || settings.memory_mb > 1e8)
    throw std::invalid_argument("the table's memory must be from 1 MB on, not " + std::to_string(settings.memory_mb));
  return with_words(width * height, [&]<int Words>() -> std::unique_ptr<Solver> {
    return std::make_unique<SizedSolver<Words>>(width, height, settings);
  });
}

}  // namespace fingal
