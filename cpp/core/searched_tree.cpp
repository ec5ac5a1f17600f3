#include "searched_tree.hpp"

#include <algorithm>

namespace fingal {

std::vector<Candidate> SearchedTree::candidates(std::span<const Move> line) const {
  std::vector<Candidate> all;
  const auto node = node_after(line);
  const auto& t = tree();
  if (node == Tree::kNowhere || t.edge_count[std::size_t(node)] == 0) return all;
  const auto first = t.first_edge[std::size_t(node)];
  for (auto e = first; e < first + t.edge_count[std::size_t(node)]; ++e) {
    const auto i = std::size_t(e);
    const float value = t.edge_value(e, t.net_value[std::size_t(node)]);
    all.push_back({t.move[i], int(t.visits[i]), value, t.prior[i], t.edge_proof[i]});
  }
  // At the root, Gumbel may prefer a move with fewer visits.
  const auto best = node == 0 ? best_move() : Move(-1);
  std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) {
    if ((a.move == best) != (b.move == best)) return a.move == best;
    if ((a.proof == kWon) != (b.proof == kWon)) return a.proof == kWon;
    if (a.visits != b.visits) return a.visits > b.visits;
    return a.prior > b.prior;
  });
  return all;
}

std::vector<Move> SearchedTree::principal_variation(std::span<const Move> line) const {
  std::vector<Move> moves;
  const auto& t = tree();
  for (auto node = node_after(line); node != Tree::kNowhere;) {
    const auto begin = t.first_edge[std::size_t(node)];
    const auto end = begin + t.edge_count[std::size_t(node)];
    auto pick = Tree::kNowhere;
    for (auto e = begin; e < end; ++e) {
      const auto i = std::size_t(e);
      if (t.edge_proof[i] == kWon) {
        pick = e;
        break;
      }
      if (t.visits[i] > (pick == Tree::kNowhere ? 0 : t.visits[std::size_t(pick)])) pick = e;
    }
    if (pick == Tree::kNowhere) break;
    moves.push_back(t.move[std::size_t(pick)]);
    node = t.child[std::size_t(pick)];
  }
  return moves;
}

std::int32_t SearchedTree::node_after(std::span<const Move> line) const {
  std::int32_t node = 0;
  for (const auto move : line) {
    if (node == Tree::kNowhere) break;
    const auto moves = tree().of(tree().move, node);
    const auto found = std::find(moves.begin(), moves.end(), move);
    if (found == moves.end()) return Tree::kNowhere;
    node = tree().child[std::size_t(tree().first_edge[std::size_t(node)] + (found - moves.begin()))];
  }
  return node;
}

std::optional<std::vector<Move>> moves_between(const Board& before, const Board& after) {
  const auto& old = before.moves();
  const auto& now = after.moves();
  if (now.size() < old.size() || !std::equal(old.begin(), old.end(), now.begin())) return std::nullopt;
  auto copy = before;
  for (auto i = old.size(); i < now.size(); ++i) {
    if (copy.winner() != kNobody || now[i] == kSwap || copy.colour_at(now[i]) != kNobody) return std::nullopt;
    copy.play(now[i]);
  }
  if (!(copy == after)) return std::nullopt;
  return std::vector<Move>(now.begin() + std::ptrdiff_t(old.size()), now.end());
}

void check_searchable(const Board& board, int width, int height) {
  if (board.width() != width || board.height() != height) {
    throw std::invalid_argument("a board of " + size_name(board.width(), board.height()) +
                                " does not fit: this search is for boards of " + size_name(width, height));
  }
  if (board.winner() != kNobody) throw std::invalid_argument("the game is over: there is nothing to search");
}

Move last_of(const Board& board) {
  if (board.moves().empty()) return -1;
  return board.moves().back() == kSwap ? Move(-1) : board.moves().back();
}

}  // namespace fingal
