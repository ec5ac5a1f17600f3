"""Figures 5 to 20: which runs each one shows, and what the paper says of it.

The paper's pictures are not in the text that we have. What is said of them here is what its text and captions say.
"""

from __future__ import annotations

from fingal.experiments.figure import Arm, Figure

READINGS = ("literal", "negamax")
"""The target as the paper prints it, and with the opponent's value negated."""

ALPHAS = (0.0001, 0.001, 0.01, 0.1)
RATIOS = (0.01, 0.1, 1.0, 10.0, 100.0)
EPSILONS = (0.0001, 0.01, 0.1, 0.5, 0.99)
TRACES = (0.0, 0.01, 0.1, 0.5, 1.0)
POLICY_ALPHAS = (0.001, 0.01, 0.1, 1.0, 10.0)
POLICY_TRACES = (0.0, 0.1, 0.5, 1.0)
BATCH_RATES = (0.001, 0.01, 0.1, 1.0, 10.0)

SARSA = Arm("SARSA", {"rule": "sarsa", "natural": False})
Q = Arm("Q-learning", {"rule": "q", "natural": False})
GTD2 = Arm("GTD2", {"rule": "gtd2", "natural": False})
TDC = Arm("TDC", {"rule": "tdc", "natural": False})
GQ = Arm("Greedy-GQ", {"rule": "gq", "natural": False})
NATURAL = Arm("TDC, natural gradient", {"rule": "tdc", "natural": True})
LEARNERS = (SARSA, Q, GTD2, TDC, GQ, NATURAL)
"""The six online learners."""

CRITICS = (
    Arm("TDC", {"rule": "tdc", "policy_natural": False, "baseline": "move"}),
    Arm("TDC, natural gradient of the policy", {"rule": "tdc", "policy_natural": True, "baseline": "move"}),
    Arm("GTD2", {"rule": "gtd2", "policy_natural": False, "baseline": "move"}),
    Arm("Greedy-GQ", {"rule": "gq", "policy_natural": False, "baseline": "move"}),
    Arm("Q-learning", {"rule": "q", "policy_natural": False, "baseline": "move"}),
)
"""The five actors with critics of figures 12 and 13. The actor's error is the critic's, as in the paper."""

BASELINE = Arm("TDC, error from the position's value", {"rule": "tdc", "policy_natural": False, "baseline": "state"})
"""One that the paper lacks: a move is judged by what the position is worth, not by what the move itself was thought to
be worth."""

NETS = (Arm("CNN", {"net": "cnn"}), Arm("RNN", {"net": "rnn"}))
OBJECTIVES = (
    Arm("MSE, Q targets", {"objective": "mse", "targets": "q"}),
    Arm("PBE, SARSA targets", {"objective": "pbe", "targets": "sarsa"}),
    Arm("MSE, SARSA targets", {"objective": "mse", "targets": "sarsa"}),
    Arm("PBE, Q targets", {"objective": "pbe", "targets": "q"}),
)
"""The paper compares the first two; the other two tell the objective from the target."""


def _arms(word: str, field: str, values: tuple[float, ...]) -> tuple[Arm, ...]:
    return tuple(Arm(f"{word} {value:g}", {field: value}) for value in values)


ALPHA_CURVES = _arms("alpha", "alpha", ALPHAS)
RATIO_PANELS = _arms("beta/alpha", "beta_ratio", RATIOS)
RATES = _arms("rate", "learning_rate", BATCH_RATES)

_TWO_SCALES = (
    "Mean after-state values for five ratios of the two step sizes and four step sizes α. The text reports no number; "
    "values near 1 are taken as the goal, and the gradient learners are said to come there faster (with figure 20)."
)

FIGURES = (
    Figure(5, "GTD2: step sizes", _TWO_SCALES, "figure-05", RATIO_PANELS, ALPHA_CURVES, fixed=GTD2.fields),
    Figure(6, "TDC: step sizes", _TWO_SCALES, "figure-06", RATIO_PANELS, ALPHA_CURVES, fixed=TDC.fields),
    Figure(7, "Greedy-GQ(λ): step sizes", _TWO_SCALES, "figure-07", RATIO_PANELS, ALPHA_CURVES, fixed=GQ.fields),
    Figure(
        8,
        "SARSA and Q-learning: step sizes",
        "Mean after-state values for four step sizes. No number is reported.",
        "figure-08",
        (SARSA, Q),
        ALPHA_CURVES,
    ),
    Figure(
        9,
        "Exploration",
        "Mean after-state values for five ε, which the caption calls the probability of a greedy move and the text "
        "that of a random one. Here it is that of a random move, and the sweep covers both.",
        "figure-09",
        (GQ, TDC, GTD2, Q, SARSA),
        _arms("epsilon", "epsilon", EPSILONS),
    ),
    Figure(
        10,
        "Eligibility traces",
        "Mean after-state values for five λ. No number is reported.",
        "figure-10",
        (GQ, TDC, GTD2, SARSA),
        _arms("lambda", "trace", TRACES),
    ),
    Figure(
        11,
        "TDC with the natural gradient of the value net",
        "Mean after-state values for five ratios and four step sizes (the text says five).",
        "figure-11",
        RATIO_PANELS,
        ALPHA_CURVES,
        fixed=NATURAL.fields,
    ),
    Figure(
        12,
        "Actor and critic: the policy's step size",
        "Mean after-state values with a policy net of its own, for five step sizes of the policy. The last panel is "
        "not the paper's.",
        "figure-12",
        (*CRITICS, BASELINE),
        _arms("alpha", "policy_alpha", POLICY_ALPHAS),
    ),
    Figure(
        13,
        "Actor and critic: the policy's traces",
        "Mean after-state values for the policy's λ at 0, 0.1, 0.5 and 1 (the text says five).",
        "figure-13",
        CRITICS,
        _arms("lambda", "policy_trace", POLICY_TRACES),
    ),
    Figure(
        14,
        "With and without pre-training",
        "Pre-training on scored human games makes no visible difference to the learned values: self-play suffices.",
        "figure-14",
        (TDC, CRITICS[1], GTD2, GQ, Q, SARSA),
        (Arm("self-play only", {"pretrained": False}), Arm("pre-trained", {"pretrained": True})),
    ),
    Figure(
        15,
        "Batches, targets by Q-learning",
        "Mean after-state values for five rates of RMSProp, mean squared error.",
        "figure-15",
        NETS,
        RATES,
        fixed={"objective": "mse", "targets": "q"},
    ),
    Figure(
        16,
        "Batches, targets by SARSA",
        "The same with targets by SARSA.",
        "figure-15",
        NETS,
        RATES,
        fixed={"objective": "mse", "targets": "sarsa"},
    ),
    Figure(
        17,
        "Two objectives: values",
        "The values of the projected objective approach 1 faster than those of the mean squared error, in both nets. "
        "The paper changes objective and target together: MSE with Q-learning, PBE with SARSA.",
        "table-1",
        NETS,
        OBJECTIVES,
    ),
    Figure(
        18,
        "Two objectives: training error",
        "The training errors of both objectives in both nets. No number is reported.",
        "table-1",
        NETS,
        OBJECTIVES,
        shown="loss",
    ),
    Figure(
        19,
        "The projection error of both nets",
        "The projection error is smaller for the CNN than for the RNN, from which the paper concludes that a CNN "
        "models Hex better.",
        "table-1",
        (
            Arm("SARSA targets", {"objective": "pbe", "targets": "sarsa"}),
            Arm("Q targets", {"objective": "pbe", "targets": "q"}),
        ),
        NETS,
        shown="projection_loss",
    ),
    Figure(
        20,
        "All six learners at their best settings",
        "The gradient learners (GTD2, TDC, Greedy-GQ and the natural gradient) approach the value 1 faster than SARSA "
        "and Q-learning.",
        "figure-20",
        (Arm("all learners"),),
        LEARNERS,
    ),
)
"""All of them."""
