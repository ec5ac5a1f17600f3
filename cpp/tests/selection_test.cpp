// Every formula with numbers worked by hand.
#include "core/selection.hpp"

#include "check.hpp"
#include "core/random.hpp"

using namespace fingal;

namespace {

bool near(float a, double b, double tolerance = 1e-6) { return std::abs(double(a) - b) <= tolerance; }

void puct() {
  CHECK(near(puct_score(0.5F, 0.2F, 3, 4, 1.25F), 0.75));         // 0.5 + 1.25 * 0.2 * 4 / 4
  CHECK(near(puct_score(-0.25F, 0.1F, 0, 10, 2), 1.75));          // -0.25 + 2 * 0.1 * 10 / 1
  CHECK(near(puct_score(0.1F, 0, 7, 100, 3), 0.1));               // no prior, no bonus
  CHECK(near(puct_rate(1.25F, 19652, 19651), 1.25 + 0.6931472));  // (1 + 19651 + 19652) / 19652 = 2
  CHECK(near(puct_rate(1.25F, 100, 0), 1.25 + 0.00995033));       // log(1.01)
  CHECK(near(first_play_urgency(0.3F, 0.25F, 0.2F), 0.2));        // 0.3 - 0.2 * 0.5
  CHECK(near(first_play_urgency(-0.5F, 0, 0.25F), -0.5));         // nothing tried, nothing taken off
}

void rave() {
  CHECK(near(rave_weight(0, 1, 800), 0));
  CHECK(near(rave_weight(4, 2, 8), 4));           // 2 * 8 * 4 / (8 + 2 * 4)
  CHECK(near(rave_weight(1e9F, 2, 8), 8, 1e-4));  // never more than the final weight
  CHECK(near(rave_mean(3, 6, -0.5F, 2), 0.25));   // (3 + 2 * -0.5) / 8
  CHECK(near(rave_mean(0, 0, 0.4F, 3), 0.4));     // not visited: all moves as first alone
  // Gelly and Silver's beta with n = 10, n' = 30, b = 0.1: 30 / (10 + 30 + 4 * 10 * 30 * 0.01) = 30 / 52.
  const float weight = rave_weight(30, 1, 1 / (4 * 0.1F * 0.1F));
  CHECK(near(weight / (weight + 10), 30.0 / 52));
  CHECK(near(progressive_bias(0.3F, 8, 5), 0.5));  // 5 * 0.3 / sqrt(9)
  CHECK(near(progressive_bias(0.3F, 0, 5), 1.5));
}

void gumbel() {
  CHECK(near(sigma(0.5F, 30, 50, 0.1F), 4));  // (50 + 30) * 0.1 * 0.5
  CHECK(near(sigma(-1, 0, 50, 1), -50));
  CHECK(near(mixed_value(0.2F, 3, 0.5F, 0.1F), 0.2));     // (0.2 + 3 * 0.1 / 0.5) / 4
  CHECK(near(mixed_value(-0.6F, 9, 0.9F, 0.45F), 0.39));  // (-0.6 + 9 * 0.5) / 10
  CHECK(near(mixed_value(0.7F, 0, 0, 0), 0.7));           // nothing tried: the net's word
}

void halving() {
  using Visits = std::vector<int>;
  // Four moves once each, then two of them twice each: 8 / (2 rounds * 4) = 1, 8 / (2 * 2) = 2.
  CHECK((considered_visits(4, 8) == Visits{0, 0, 0, 0, 1, 1, 2, 2}));
  // 24 / (3 * 8) = 1, 24 / (3 * 4) = 2, 24 / (3 * 2) = 4.
  CHECK((considered_visits(8, 24) == Visits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6}));
  // Seven moves, three, then two until the end: 24 / (3 * 7) = 1, 24 / (3 * 3) = 2, 24 / (3 * 2) = 4, and again.
  CHECK((considered_visits(7, 24) == Visits{0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8}));
  // Too few simulations for all rounds, or even for one.
  CHECK((considered_visits(8, 13) == Visits{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2}));
  CHECK((considered_visits(8, 2) == Visits{0, 0}));
  // One move has them all.
  CHECK((considered_visits(1, 4) == Visits{0, 1, 2, 3}));
  CHECK((considered_visits(0, 3) == Visits{0, 1, 2}));
  CHECK(considered_visits(16, 0).empty());
  for (int simulations = 1; simulations < 200; ++simulations) {
    CHECK(int(considered_visits(16, simulations).size()) == simulations);
  }
}

void exponentials() {
  for (double x = 0; x > -87; x -= 0.00917) {
    CHECK(std::abs(double(exp_below_zero(float(x))) / std::exp(double(float(x))) - 1) < 3e-7);
  }
  CHECK(exp_below_zero(0) == 1);
  CHECK(exp_below_zero(-1000) == exp_below_zero(-87) && exp_below_zero(-87) < 1e-37F);
}

void softmaxes() {
  // Odds of 1 : 2 : 5.
  std::vector<float> x{0, 0.6931472F, 1.6094379F};
  softmax(x);
  CHECK(near(x[0], 0.125) && near(x[1], 0.25) && near(x[2], 0.625));
  std::vector<float> shifted{1000, 1000.6931472F, 1001.6094379F};
  softmax(shifted);
  CHECK(near(shifted[0], 0.125, 1e-4) && near(shifted[2], 0.625, 1e-4));
  std::vector<float> far{0, -500};
  softmax(far);
  CHECK(far[0] == 1 && far[1] < 1e-30F);
  std::vector<float> one{-3};
  softmax(one);
  CHECK(one[0] == 1);
  std::vector<float> none;
  softmax(none);
  // Back from priors: the logits less their logarithm of the sum.
  CHECK(near(prior_logit(0.125F), -2.0794415));
  CHECK(prior_logit(0) < -80 && prior_logit(0) > -100);
}

// The loops for the vector unit, against the obvious ones.
void reductions() {
  Random random(3);
  for (std::size_t count = 1; count < 200; ++count) {
    std::vector<float> x(count);
    double total = 0;
    for (auto& v : x) {
      v = float(random.below(41) - 20) / 8;  // few values, so that some are equal
      total += double(v);
    }
    CHECK(largest(x) == *std::max_element(x.begin(), x.end()));
    CHECK(argmax(x) == std::size_t(std::max_element(x.begin(), x.end()) - x.begin()));
    CHECK(near(sum(x), total));
  }
  for (const float v : {-1e30F, -1.0F, -1e-40F, 0.0F, 1e-40F, 1.0F, 1e30F}) CHECK(from_ordered(as_ordered(v)) == v);
  CHECK(argmax(std::vector<float>{-3, -1, -2, -1}) == 1);
  CHECK(argmax(std::vector<float>{0, 0}) == 0);
  CHECK(sum(std::vector<float>{}) == 0);
}

}  // namespace

int main() {
  puct();
  rave();
  gumbel();
  halving();
  exponentials();
  softmaxes();
  reductions();
  return verdict();
}
