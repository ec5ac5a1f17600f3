"""Why SAC did not work in paper 003: the mistakes of the public program that carries its authors' names, one at a time.

All runs meet random moves and learn as the paper says, with 1 for a win and 0 for a loss. The first arm has none of the
mistakes; three have one each, and one has all. The other arms are ours: what else would have helped, or not.
"""

from __future__ import annotations

from fingal.experiments.ablation import Ablation, Plan
from fingal.experiments.figure import Arm
from fingal.experiments.sweep import Setting

LEARNER = "fingal.learn.sac:SAC"

BATCH: Setting = {"normalise": "batch"}
BOARD: Setting = {"entropy_target": "board", "entropy_share": 0.98}
SIGMOID: Setting = {"critics": "sigmoid"}

RIGHT = Arm("none of them")

MISTAKES = Ablation(
    "sac",
    "What was wrong with SAC",
    "SAC never won more than 70% against the random player on 7x7, with every setting that was tried.",
    (
        RIGHT,
        Arm("chances add up to 1 over a batch", BATCH),
        Arm("entropy aimed at: 0.98 log of all cells", BOARD),
        Arm("critics end with a sigmoid", SIGMOID),
        Arm("all three", {**BATCH, **BOARD, **SIGMOID}),
    ),
)
"""The three mistakes."""

BEYOND = Ablation(
    "sac-beyond",
    "SAC beyond the paper",
    "The paper has one reward for losing and for going on, 0, one opponent, random moves, and one entropy to aim at.",
    (
        RIGHT,
        Arm("a loss is worth -1", {"loss_reward": -1.0}),
        Arm("it plays itself", {"opponent": "self"}),
        Arm("entropy aimed at: 0.98 log of the legal cells", {"entropy_share": 0.98}),
    ),
)
"""What the paper did not try."""


def plan(size: int = 5, seeds: int = 3, moves: int = 32_768, width: int = 128, warm_up: int | None = None) -> Plan:
    """The runs for both tables: with these settings one takes 20 seconds of a core.

    ``warm_up`` is the learner's own, if not given; a run of fewer moves learns nothing.
    """
    common: Setting = {
        "size": size,
        "net": "feed-forward",
        "width": width,
        "opponent": "random",
        "loss_reward": 0.0,
        "games": 32,
        "capacity": 25_600,
        "moves": moves,
        "batch": 128,
        "exam_rows": 4,
    }
    if warm_up is not None:
        common = {**common, "warm_up": warm_up}
    return Plan(LEARNER, common, seeds, name="sac")
