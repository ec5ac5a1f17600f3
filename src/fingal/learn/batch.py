"""Learning move values from batches of self-play: mean squared error, and the two-step "PBE" of paper 000.

A batch of moves gives targets, and RMSProp makes one step towards them; with "PBE" a second net makes that step and the
first one follows it. docs/batch.md has the equations, what each setting does, and what "PBE" is and is not. A sweep
trains any number of settings and seeds together.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fingal.learn.parts.batched import BatchedRuns, Learned, count_moves
from fingal.learn.parts.descent import bootstrapped, error_pull, rmsprop, squared_errors
from fingal.learn.parts.history import History
from fingal.learn.parts.kinds import check_least, check_seed, check_shares
from fingal.learn.parts.mirror import LARGEST_TABLE, Games, lanes, listed, longest_opening, random_cell, uniform
from fingal.learn.parts.online import GAME, ROW, Measure, Plan, Told
from fingal.learn.parts.recall import Recall, memory_measure
from fingal.learn.parts.stacks import run_stacks, truth_measure
from fingal.learn.parts.truth import Values
from fingal.learn.td import Target, Trained
from fingal.nets import hexagonal, recurrent, walls_torch
from fingal.nets.hexagonal import PAPER_000, Activation, Hexagonal, slope_of_squash, squash, unflatten
from fingal.nets.recurrent import Recurrent
from fingal.nets.stacked import Stack
from fingal.nets.stacked_batches import Batches
from fingal.nets.stacked_recurrent import RecurrentStack, stack_of

Net = Literal["cnn", "rnn"]
Objective = Literal["mse", "pbe"]
Targets = Literal["q", "sarsa"]

Said = Callable[[Tensor], Tensor]
"""Nets [R, width] to what they say of N moves each, [R, N]."""
Gradient = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]
"""Nets [R, width], aims and what counts [R, N], to the squared errors' gradient [R, width] and what the nets say."""

STACKED = {"cnn": 16, "rnn": 128}
"""How many runs are trained together: as many as the processor's caches hold with their batches."""


@dataclass(frozen=True)
class Batch:
    """One run: a net, an objective, its settings, a seed."""

    net: Net = "cnn"
    """The net: cnn, which sees a board, or rnn, which remembers the boards before."""
    objective: Objective = "mse"
    """What is made small: mse, the squared error of the targets; or pbe, paper 000's two steps on two nets."""
    targets: Targets = "q"
    """The next value in a target: that of the best move (q) or that of the move that is played (sarsa)."""
    target: Target = "negamax"
    """Whose view the next value has: ``negamax`` turns its sign, since it is the opponent's; ``literal`` does not,
    which is paper 000's formula and is wrong for a game that one side loses."""
    learning_rate: float = 0.001
    """RMSProp's rate for the net that plays."""
    projection_rate: float = 0.1
    """RMSProp's rate for the second net of pbe."""
    batch: int = 50
    """With cnn: how many games are played side by side; each gives one move to an update."""
    sequences: int = 1
    """With rnn: how many whole games an update is made of."""
    depth: int = 10
    """With rnn: how many boards a sequence holds at most."""
    decay: float = 0.9
    """RMSProp: how much of the mean square stays at each step."""
    floor: float = 1e-6
    """RMSProp: what is added to the mean square inside the root."""
    epsilon: float = 0.1
    """How often a move is random."""
    size: int = 3
    """The board's side."""
    layers: tuple[tuple[int, int, int], ...] = PAPER_000.layers
    """The net's layers: how many filters of diameter 1, 3 and 5 each has."""
    activation: Activation = "relu"
    """What follows each layer of the net: relu, softplus or tanh."""
    games: int = 5000
    """How many games to play, at least: an update ends with all the games of its batch."""
    rows: int = 20
    """How many rows of figures to keep, evenly spread over the games."""
    bound: float = 1e6
    """A parameter beyond it means that the run has diverged."""
    seed: int = 1
    """Decides the initial nets and every random move."""

    def __post_init__(self) -> None:
        """Refuse nonsense, by name; lists, as JSON has them, become tuples."""
        for name, choices in (
            ("net", ("cnn", "rnn")),
            ("objective", ("mse", "pbe")),
            ("targets", ("q", "sarsa")),
            ("target", ("negamax", "literal")),
        ):
            if getattr(self, name) not in choices:
                raise ValueError(f"{name} must be {' or '.join(choices)}, not {getattr(self, name)!r:.40}")
        for name in ("learning_rate", "projection_rate", "floor", "bound"):
            number = getattr(self, name)
            if not 0 < number < math.inf:
                raise ValueError(f"{name} must be a number above 0, not {number}")
        check_shares(self, "epsilon", "decay")
        check_least(self, 1, "batch", "sequences", "games", "rows")
        if self.rows > self.games:
            raise ValueError(f"rows must be at most games, {self.games}, not {self.rows}")
        check_seed(self, 63)
        object.__setattr__(self, "layers", self.shape.layers)

    @property
    def shape(self) -> hexagonal.Config:
        """The net's shape: a ``recurrent.Config`` with rnn."""
        if self.net == "cnn":
            return hexagonal.Config(size=self.size, layers=self.layers, activation=self.activation)
        return recurrent.Config(size=self.size, layers=self.layers, activation=self.activation, depth=self.depth)

    @property
    def sign(self) -> float:
        """What the next mover's value is multiplied with: g in the equations."""
        return -1.0 if self.target == "negamax" else 1.0

    @property
    def family(self) -> tuple[object, ...]:
        """What runs of one stack have in common."""
        amount = self.batch if self.net == "cnn" else self.sequences
        return (self.shape, self.objective, amount, self.decay, self.floor, self.games, self.rows, self.bound)


def sweep(
    settings: Sequence[Batch], folder: str | Path | None = None, told: Told | None = None, start: Tensor | None = None
) -> list[History]:
    """Train every setting; see ``train``."""
    return train(settings, folder, told, start).histories


def train(
    settings: Sequence[Batch], folder: str | Path | None = None, told: Told | None = None, start: Tensor | None = None
) -> Trained:
    """Train every setting, many at once; folder, ``told``, ``start`` and what comes back are as for ``td.train``."""

    def begin(chosen: list[int]) -> BatchedRuns:
        these = [settings[index] for index in chosen]
        one, given = these[0], None if start is None else start[chosen]
        learner: Boards | Sequences = Boards(these, given) if one.net == "cnn" else Sequences(these, given)
        plan = Plan(one.games, one.rows, one.bound)
        return BatchedRuns(learner, plan, [asdict(each) for each in these], measure_of(one.shape))

    counts: dict[object, int] = {}
    families = []
    for one in settings:
        counts[one.family] = counts.get(one.family, -1) + 1
        families.append((*one.family, counts[one.family] // STACKED[one.net]))
    histories, parts = run_stacks(families, begin, folder, told)
    width = max((one.shape.parameters for one in settings), default=0)
    found = torch.zeros(len(settings), width)
    for index, one in enumerate(settings):
        narrow = stack_of(one.shape).narrow(parts[index])
        found[index, : narrow.shape[1]] = narrow[0]
    return Trained(histories, found)


def net_of(one: Batch, parameters: Tensor) -> nn.Module:
    """The net of a run, from its row of ``Trained.parameters``."""
    shape = one.shape
    with torch.random.fork_rng(devices=[]):
        net = Recurrent(shape) if isinstance(shape, recurrent.Config) else Hexagonal(shape)
    net.load_state_dict({name: tensor.clone() for name, tensor in unflatten(shape, parameters).items()})
    return net.eval()


def values_of(settings: Sequence[Batch], parameters: Tensor) -> Values:
    """What trained nets [settings, ...] say after games on a board of at most nine cells: see ``truth.Values``."""
    recalls: dict[hexagonal.Config, tuple[Recall, NDArray[np.int64]]] = {}
    for shape in {one.shape for one in settings}:
        chosen = np.array([index for index, one in enumerate(settings) if one.shape == shape])
        place = np.full(len(settings), -1)
        place[chosen] = np.arange(len(chosen))
        stack = stack_of(shape)
        stacked = stack.wide(parameters[torch.from_numpy(chosen), : shape.parameters])
        with torch.no_grad():
            recalls[shape] = Recall(stack, stacked, listed(shape.size).stones), place

    @torch.no_grad()
    def values(players: NDArray[np.int64], moves: NDArray[np.int64]) -> NDArray[np.floating]:
        found = np.zeros((len(players), settings[0].size ** 2), np.float32)
        for recall, place in recalls.values():
            here = np.flatnonzero(place[players] >= 0)
            if len(here):
                found[here] = recall.values(place[players[here]], moves[here])
        return found

    return values


def measure_of(shape: hexagonal.Config) -> Measure:
    """What greedy players with nets of this shape are worth."""
    stack = stack_of(shape)
    return memory_measure(stack) if isinstance(stack, RecurrentStack) else truth_measure(stack)


class Learning:
    """What both kinds of learners have: nets, their mean squares, and one update of them."""

    def __init__(self, settings: Sequence[Batch], stack: Stack, start: Tensor | None) -> None:
        """Begin with random nets, or with ``start`` [R, parameters]; the second net of pbe is random or the same."""
        one = settings[0]
        self.one, self.stack, self.games = one, stack, Games(stack)
        seeds = [s.seed for s in settings]
        width = one.shape.parameters
        theta = stack.initial(seeds) if start is None else stack.wide(start[:, :width].float())

        def each(*numbers: float) -> Tensor:
            return torch.tensor(numbers, dtype=torch.float32)

        self.state: dict[str, Tensor] = {
            "theta": theta,
            "square": torch.zeros_like(theta),
            "sign": each(*(s.sign for s in settings)),
            "rate": each(*(s.learning_rate for s in settings)),
            "epsilon": each(*(s.epsilon for s in settings)),
            "greedy": torch.tensor([s.targets == "q" for s in settings]),
            "seed": torch.tensor(seeds),
            "steps": torch.zeros(len(settings), dtype=torch.int64),
        }
        if one.objective == "pbe":
            # Another net, or its first error would be 0; after pre-training the same one, which is what it has learned.
            other = theta.clone() if start is not None else stack.initial([(seed + 2**31) % 2**63 for seed in seeds])
            self.state |= {"u": other, "u_square": torch.zeros_like(theta)}
            self.state["u_rate"] = each(*(s.projection_rate for s in settings))
        self.batches = Batches(stack)
        self._planes: Tensor | None = None
        if stack.cells <= LARGEST_TABLE:
            self._planes = walls_torch.from_stones(listed(one.size).stones, one.shape.padding).flatten(1)

    def parameters(self) -> Tensor:
        """The nets that play, [R, width]."""
        return self.state["theta"]

    def choose(self, values: Tensor, legal: Tensor, step: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Moves of G games of each run by epsilon-greedy choice: the move, its value, and what a target takes, [R, G].

        ``values`` and ``legal`` are [R, G, cells], ``step`` [R] counts what was chosen before.
        """
        count, games, _ = values.shape
        best, greedy = values.masked_fill(~legal, -torch.inf).max(2)
        whether, which = self.uniform(games, step)
        explores = whether.view(count, games) < self.state["epsilon"].unsqueeze(1)
        drawn = random_cell(legal.flatten(0, 1), which)
        move = torch.where(explores, drawn.view(count, games), greedy)
        value = values.gather(2, move.unsqueeze(2)).squeeze(2)
        return move, value, torch.where(self.state["greedy"].unsqueeze(1), best, value)

    def uniform(self, games: int, step: Tensor) -> tuple[Tensor, Tensor]:
        """Two numbers in [0, 1) for G games of each run, [R * G]: by seed, game and step alone."""
        seeds = lanes(self.state["seed"].numpy().astype(np.uint64), games)
        return uniform(seeds, np.repeat(step.numpy().view(np.uint64), games), 0)

    def planes(self, board: Tensor) -> Tensor:
        """What the nets are shown of boards [N, ...]: [N, 6 * n]."""
        if self._planes is not None:
            return self._planes.index_select(0, board)
        return walls_torch.from_stones(board, self.one.shape.padding).flatten(1)

    def look(self, planes: Tensor, games: int, name: str) -> Tensor:
        """Planes [R * G, 6 * n] as ``Batches`` takes them."""
        return self.batches.look(self.batches.innermost(planes.view(-1, games, planes.shape[1])), name)

    def learn(self, gradient: Gradient, said: Said, aim: Tensor, counted: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
        """One update towards the targets ``aim`` [R, N] of the moves that count; is it finite, and the errors [R].

        ``said`` tells what nets [R, width] say of these moves, ``gradient`` also the gradient of their squared errors.
        """
        state, one = self.state, self.one
        errors: dict[str, Tensor] = {}
        for name, prefix, title in (("u", "u_", "projection_loss"), ("theta", "", "loss")):
            if name in state:
                pull, found = gradient(state[name], aim, counted)
                errors[title] = squared_errors(aim, found, counted)
                rmsprop(state[name], state[f"{prefix}square"], pull, state[f"{prefix}rate"], one.decay, one.floor)
                # The second net has made its step; now the first one follows it.
                aim = said(state[name]) if name == "u" else aim
        return torch.stack(list(errors.values())).isfinite().all(0), errors


class Boards(Learning):
    """Nets that see single boards: every run has its games side by side, and each gives one move to an update."""

    def __init__(self, settings: Sequence[Batch], start: Tensor | None = None) -> None:
        """Begin; the first games of a run have openings of different length, so that they are not in step."""
        super().__init__(settings, Stack(settings[0].shape), start)
        runs, games = len(settings), settings[0].batch
        board = self.games.begin(runs * games)
        ply = (torch.arange(games) % (longest_opening(self.one.size) + 1)).repeat(runs)
        for number in range(longest_opening(self.one.size)):
            # Numbers that no later step uses.
            _, which = self.uniform(games, self.state["steps"] - 1 - number)
            after, _ = self.games.play(board, random_cell(self.games.legal(board), which))
            board = torch.where((ply > number).view(-1, *[1] * (board.ndim - 1)), after, board)
        self.state |= {
            "board": board.view(runs, games, *board.shape[1:]),
            "ply": ply.view(runs, games),
            "game": torch.zeros(runs, games, len(GAME)),
        }
        self._turn = 0
        self.refresh()
        with torch.no_grad():
            values = self._values(self.state["theta"], self._look)
        move, value, _ = self.choose(values, self._legal(board), self.state["steps"])
        self.state |= {"move": move, "value": value}

    def refresh(self) -> None:
        """Look at the boards anew, if any are left."""
        if len(self.state["board"]):
            self._look = self._next_look(self.state["board"].flatten(0, 1))

    def step(self) -> Learned:
        """Play the chosen moves, choose the next, and learn from the first."""
        state = self.state
        board, over = self.games.play(state["board"].flatten(0, 1), state["move"].flatten())
        look = self._next_look(board)
        state["steps"] += 1
        values = self._values(state["theta"], look)
        move, value, following = self.choose(values, self._legal(board), state["steps"])
        over = over.view(move.shape)
        going = (~over).float()
        aim = bootstrapped(1 - going, following, going, state["sign"])
        sound, errors = self.learn(self._gradient, self._said, aim, torch.ones_like(aim))
        first = state["ply"] % 2 == 0
        state["game"], row = count_moves(state["game"], state["value"], first, over, torch.ones_like(over))
        state["board"], state["move"], state["value"] = board.view(state["board"].shape), move, value
        state["ply"] = torch.where(over, 0, state["ply"] + 1)
        self._look = look
        return Learned(row, over.sum(1), sound, errors)

    def _legal(self, board: Tensor) -> Tensor:
        return self.games.legal(board).view(-1, self.one.batch, self.stack.cells)

    def _next_look(self, board: Tensor) -> Tensor:
        """What the first layers see of the next boards [R * G, ...]; what they saw of the last ones is still there."""
        self._turn = 1 - self._turn
        return self.look(self.planes(board), self.one.batch, str(self._turn))

    def _values(self, parameters: Tensor, look: Tensor) -> Tensor:
        """[R, G, cells]"""
        return squash(self.batches.forward(parameters, look).outputs, "sigmoid").transpose(1, 2)

    def _said(self, parameters: Tensor) -> Tensor:
        """What nets say of the moves that were just played, [R, G]."""
        values = self._values(parameters, self._look)
        return values.gather(2, self.state["move"].unsqueeze(2)).squeeze(2)

    def _gradient(self, parameters: Tensor, aim: Tensor, counted: Tensor) -> tuple[Tensor, Tensor]:
        done = self.batches.forward(parameters, self._look)
        at = self.state["move"].unsqueeze(1)
        said = squash(done.outputs.gather(1, at).squeeze(1), "sigmoid")
        slope = error_pull(aim, said, counted) * slope_of_squash(said)
        pull = torch.zeros_like(done.outputs).scatter_(1, at, slope.unsqueeze(1))
        return self.batches.gradient(parameters, done, pull), said


class Sequences(Learning):
    """Nets that remember: an update is made of whole games, from their first board to their last."""

    stack: RecurrentStack

    def __init__(self, settings: Sequence[Batch], start: Tensor | None = None) -> None:
        """Begin."""
        shape = settings[0].shape
        assert isinstance(shape, recurrent.Config)
        super().__init__(settings, RecurrentStack(shape), start)

    def refresh(self) -> None:
        """Nothing is kept from one update to the next."""

    def step(self) -> Learned:
        """Play games to their ends and learn from all their moves."""
        state, stack, games, cells = self.state, self.stack, self.one.sequences, self.stack.cells
        runs = len(state["seed"])
        board = self.games.begin(runs * games)
        alive = torch.ones(runs, games, dtype=torch.bool)
        sums, row = torch.zeros(runs, games, len(GAME)), torch.zeros(runs, len(ROW))
        weights = stack.recurrence(state["theta"])
        shown, moves, going, following = [], [], [], []
        hidden: Tensor | None = None
        for ply in range(cells):
            planes = self.planes(board)
            outputs = self.batches.forward(state["theta"], self.look(planes, games, "play")).outputs
            before = None if ply == stack.config.piece(ply) else hidden
            values, hidden = stack.step(weights, squash(outputs, "sigmoid").transpose(1, 2), before)
            legal = self.games.legal(board).view(runs, games, cells)
            move, value, aimed = self.choose(values, legal, state["steps"] * cells + ply)
            board, over = self.games.play(board, move.flatten())
            over = over.view(runs, games)
            sums, added = count_moves(sums, value, torch.full_like(over, ply % 2 == 0), over, alive)
            row += added
            shown.append(planes.view(runs, games, -1))
            moves.append(move)
            going.append(alive)
            following.append(aimed)
            alive = alive & ~over
            if not alive.any():
                break
        state["steps"] += 1
        counted = torch.stack(going, 1).float()
        # Where a game goes on with the next board, that board's value counts; behind the last one there is none.
        nothing = torch.zeros_like(counted[:, :1])
        onward = torch.cat((counted[:, 1:], nothing), 1)
        after = torch.cat((torch.stack(following, 1)[:, 1:], nothing), 1)
        aim = bootstrapped((counted - onward).flatten(1), after.flatten(1), onward.flatten(1), state["sign"])
        self._look = self.look(torch.cat(shown, 1).flatten(0, 1), len(shown) * games, "learn")
        self._moves = torch.stack(moves, 1).unsqueeze(3)
        sound, errors = self.learn(self._gradient, self._said, aim, counted.flatten(1))
        return Learned(row, torch.full((runs,), games), sound, errors)

    def _follow(self, weights: dict[str, Tensor], outputs: Tensor) -> Tensor:
        """What the recurrent layers make of the hexagonal nets' outputs [R, cells, T * G]: of the moves, [R, T * G]."""
        runs, plies, games, _ = self._moves.shape
        x = squash(outputs, "sigmoid").transpose(1, 2).reshape(runs, plies, games, -1)
        return self.stack.follow(weights, x).gather(3, self._moves).flatten(1)

    def _said(self, parameters: Tensor) -> Tensor:
        outputs = self.batches.forward(parameters, self._look).outputs
        return self._follow(self.stack.recurrence(parameters), outputs)

    def _gradient(self, parameters: Tensor, aim: Tensor, counted: Tensor) -> tuple[Tensor, Tensor]:
        done = self.batches.forward(parameters, self._look)
        with torch.enable_grad():
            outputs = done.outputs.detach().requires_grad_()
            layer = parameters[:, self.stack.start :].detach().requires_grad_()
            said = self._follow(self.stack.layer(layer), outputs)
            slope = error_pull(aim, said.detach(), counted)
            pull, layer_pull = torch.autograd.grad(said, (outputs, layer), slope)
        gradient = self.batches.gradient(parameters, done, pull)
        gradient[:, self.stack.start :] = layer_pull
        return gradient, said.detach()
