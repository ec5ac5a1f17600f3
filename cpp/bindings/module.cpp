#include "bind.hpp"

NB_MODULE(_core, m) {
  m.doc() = "Fingal's compiled core. Use it through fingal.game and its neighbours.";
  fingal::bind_board(m);
  fingal::bind_playout(m);
  fingal::bind_batch(m);
  fingal::bind_search(m);
  fingal::bind_connections(m);
  fingal::bind_evaluations(m);
  fingal::bind_inferior(m);
  fingal::bind_solver(m);
  fingal::bind_uct(m);
}
