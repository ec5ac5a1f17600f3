"""Players by text: the grammar, the kinds and their settings."""

import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fingal.players
from fingal.game import RESIGN, Record
from fingal.players import spec
from fingal.players.adjusted import Adjusted
from fingal.players.player import NO_LIMIT, Limit, Player
from fingal.players.spec import Spec, parse


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("random", Spec("random")),
        (" random ", Spec("random")),
        ("random:seed=3", Spec("random", None, {"seed": "3"})),
        ("net:fingal-small", Spec("net", "fingal-small")),
        ("uct:sims=10000,threads=2", Spec("uct", None, {"sims": "10000", "threads": "2"})),
        ("puct:net=fingal-small, sims = 400", Spec("puct", None, {"net": "fingal-small", "sims": "400"})),
        (
            'htp:"mohex --config mohex.htp",timeout=30',
            Spec("htp", "mohex --config mohex.htp", {"timeout": "30"}),
        ),
        ("htp:mohex --seed=1", Spec("htp", "mohex --seed=1")),
        ('htp:"a, \\"b\\" \\\\ c\\d"', Spec("htp", 'a, "b" \\ c\\d')),
        ('htp:x,start="a 1; b = 2"', Spec("htp", "x", {"start": "a 1; b = 2"})),
        ('random:name=""', Spec("random", None, {"name": ""})),
        ("shortest-path:max-depth=1", Spec("shortest-path", None, {"max_depth": "1"})),
    ],
)
def test_grammar(text: str, expected: Spec) -> None:
    assert parse(text) == expected
    assert parse(str(expected)) == expected


@given(
    st.from_regex(r"[a-z][a-z0-9-]*", fullmatch=True),
    st.none() | st.text(),
    st.dictionaries(st.from_regex(r"[a-z][a-z0-9_]*", fullmatch=True), st.text(), max_size=4),
)
def test_text_and_spec_are_the_same(kind: str, argument: str | None, settings: dict[str, str]) -> None:
    written = Spec(kind, argument, settings)
    assert parse(str(written)) == written


@given(st.text(alphabet='ab:=,"\\ \n-é1', max_size=30))
def test_any_text_is_a_spec_or_a_sentence(text: str) -> None:
    sentence = ""
    try:
        parse(text)
    except ValueError as error:
        sentence = str(error)
    assert "\n" not in sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "'' names no player: a text is kind or kind:argument,key=value"),
        (":x", "':x' names no player"),
        ("ran dom", "'ran dom' names no player"),
        ("randm", r"there is no player 'randm' \(did you mean random\?\); there are .*random"),
        ("spec", "there is no player 'spec'"),
        ("random:sed=3", r"random has no setting 'sed' \(did you mean seed\?\); it takes seed, epsilon, name"),
        ("random:seed=x", "seed='x' is not possible: seed is a whole number"),
        ("random:seed=1.5", "seed='1.5' is not possible: seed is a whole number"),
        ("random:epsilon=much", "epsilon='much' is not possible: epsilon is a number"),
        ("random:epsilon=nan", "epsilon='nan' is not possible: epsilon is a number"),
        ("random:epsilon=1.5", "epsilon=1.5 is not possible: it is a probability, from 0 to 1"),
        ("random:temperature=-1", "temperature=-1 is not possible: it is 0 or more"),
        ("random:temperature=0.5", "random has no scores to draw from: temperature must be 0"),
        ("human:temperature=0.5", "human has no scores to draw from: temperature must be 0"),
        ("random:3", "'3' needs a name: random takes seed"),
        ("random:seed=1,seed=2", "seed stands twice"),
        ("random:seed=1,2", "'2' in 'random:seed=1,2' has no name"),
        ("random:", "cannot read '' in 'random:'"),
        ("random:seed=1,", "cannot read ''"),
        ('random:name="a', "a double quote in .* is not closed"),
        ('random:name="a"b', "cannot read"),
        ("htp", "htp needs a command: htp:COMMAND"),
        ("htp:x,command=y", "command stands twice"),
        ("htp:x,timeout=0", "timeout=0 is not possible: it must be more than 0"),
        ("human:board=perhaps", "board='perhaps' is not possible: board is yes or no"),
        ("x" * 100_000, "there is no player 'xxx"),
    ],
)
def test_wrong_texts_are_answered_with_one_sentence(text: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as error:
        spec.make(text)
    assert len(str(error.value)) < 500
    assert "\n" not in str(error.value)


def test_names() -> None:
    assert spec.make("random").name == "random"
    assert spec.make("random:seed=3").name == "random:seed=3"
    assert spec.make("random:seed=3,epsilon=0.5").name == "random:seed=3,epsilon=0.5"
    assert spec.make("random:seed=3,epsilon=0.5,name=Bob").name == "Bob"


def test_kinds_describe_themselves() -> None:
    kinds = {kind.name: kind for kind in spec.kinds()}
    assert {"random", "human", "htp"} <= set(kinds)
    assert kinds["htp"].usage == "htp:COMMAND"
    assert [setting.name for setting in kinds["htp"].settings][:2] == ["timeout", "start"]
    for kind in kinds.values():
        assert kind.doc.endswith("."), kind.name
        assert {"epsilon", "seed", "name"} <= {setting.name for setting in kind.settings}
        for setting in kind.settings:
            assert setting.doc, (kind.name, setting.name)
        assert kind.as_dict()["settings"][0].keys() == {"name", "type", "default", "doc"}


def test_listing_the_kinds_loads_nothing_heavy() -> None:
    code = "import sys; from fingal.players import spec; spec.kinds(); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@dataclass(frozen=True)
class ScoutSettings:
    """A kind with a setting of every type."""

    plan: str
    """The argument."""
    sims: int = 7
    """Limit."""
    nodes: int | None = None
    """Limit."""
    mood: Literal["calm", "wild"] = "calm"
    """Choice."""
    greedy: bool = False
    """Yes or no."""
    temperature: float = 0.0
    """Received from the common settings."""
    seed: int | None = None
    """Received from the common settings."""


class Scout:
    """Remembers what it is given, and resigns."""

    def __init__(self, settings: ScoutSettings) -> None:
        self.name = "Scout's own name"
        self.settings = settings
        self.limits: list[Limit] = []
        self.interrupts = 0

    def choose(self, record: Record, limit: Limit = NO_LIMIT) -> int:
        self.limits.append(limit)
        return RESIGN

    def interrupt(self) -> None:
        self.interrupts += 1

    def close(self) -> None:
        self.name = "closed"


@pytest.fixture
def scout(monkeypatch: pytest.MonkeyPatch) -> spec.Kind:
    module = ModuleType("scout", "Scouts.")
    module.__file__ = __file__
    module.Settings = ScoutSettings  # type: ignore[attr-defined]
    module.make = Scout  # type: ignore[attr-defined]
    return spec.kind_of(module)


def scouted(player: Player) -> Scout:
    found = player.player if isinstance(player, Adjusted) else player
    assert isinstance(found, Scout)
    return found


def test_settings_of_every_type_arrive(scout: spec.Kind) -> None:
    text = "scout:ambush,mood=wild,greedy=yes,temperature=0.5,seed=-4"
    player = spec.build(parse(text), scout)
    assert scouted(player).settings == ScoutSettings("ambush", mood="wild", greedy=True, temperature=0.5, seed=-4)
    assert player.name == "Scout's own name"
    assert spec.build(parse("scout:plan=ambush,name=Ann"), scout).name == "Ann"
    assert [(s.name, s.type) for s in scout.settings][:4] == [
        ("sims", "int"),
        ("nodes", "int"),
        ("mood", "calm|wild"),
        ("greedy", "bool"),
    ]
    assert scout.argument == spec.Setting("plan", "text", None, "The argument.")
    with pytest.raises(ValueError, match="mood='sad' is not possible: mood is one of calm, wild"):
        spec.build(parse("scout:x,mood=sad"), scout)


def test_limits_in_the_text_replace_the_limit_given(scout: spec.Kind) -> None:
    given = Limit(seconds=9.0)
    for text, expected in (("scout:x", given), ("scout:x,sims=3,nodes=5", Limit(simulations=3, nodes=5))):
        player = spec.build(parse(text), scout)
        player.choose(Record(3, 3), given)
        assert scouted(player).limits == [expected]
    with pytest.raises(ValueError, match="a limit of 0 simulations is not possible"):
        spec.build(parse("scout:x,sims=0"), scout)
    with pytest.raises(ValueError, match=r"random has no setting 'sims'"):
        spec.make("random:sims=3")


def test_epsilon(scout: spec.Kind) -> None:
    """The scout always resigns, so every other answer is a random move."""
    record = Record.of(["a1"], 2, swap=True)

    def answers(seed: int) -> list[int]:
        player = spec.build(parse(f"scout:x,epsilon=0.25,seed={seed}"), scout)
        return [player.choose(record) for _ in range(2000)]

    counts = Counter(answers(1))
    assert set(counts) == {RESIGN, *record.board().legal_moves}
    # 1500 resignations and 125 of each of the four moves are expected; five standard deviations are allowed.
    assert abs(counts.pop(RESIGN) - 1500) < 97
    assert all(abs(count - 125) < 55 for count in counts.values())
    assert answers(1) == answers(1) != answers(2)

    always = spec.build(parse("scout:x,epsilon=1"), scout)
    with pytest.raises(ValueError, match="over"):
        always.choose(Record.of(["a1"], 1))
    assert isinstance(always, Adjusted)
    always.interrupt()
    always.close()
    assert scouted(always).interrupts == 1
    assert scouted(always).name == "closed"


def test_two_arguments_are_a_programming_error(scout: spec.Kind) -> None:
    @dataclass(frozen=True)
    class Settings:
        one: int
        two: int

    scout.module.Settings = Settings
    with pytest.raises(TypeError, match="2 fields with no default"):
        spec.kind_of(scout.module)


def test_a_file_in_the_package_is_all_a_kind_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The example, put where it says, is a kind like any other."""
    example = Path(__file__).parents[2] / "examples" / "my_player.py"
    (tmp_path / "my_player.py").write_text(example.read_text())
    monkeypatch.setattr(fingal.players, "__path__", [*fingal.players.__path__, str(tmp_path)])
    monkeypatch.delitem(sys.modules, "fingal.players.my_player", raising=False)
    player = spec.make("my-player:reach=2,seed=1")
    assert player.name == "my-player:reach=2,seed=1"
    assert player.choose(Record(1, 1)) == 0
    kind = next(kind for kind in spec.kinds() if kind.name == "my-player")
    assert kind.doc == "Plays near the last stone, and near the centre at the start."
    with pytest.raises(ValueError, match="reach=0 is not possible"):
        spec.make("my-player:reach=0")
    monkeypatch.delitem(sys.modules, "fingal.players.my_player")
    monkeypatch.delattr(fingal.players, "my_player", raising=False)
