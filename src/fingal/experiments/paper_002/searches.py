"""The net in tree search and on other boards: tables 1 to 3, both nets as prior, the minimum as back-up, transfer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fingal.arena.report.markup import Section, table, text, tinted
from fingal.experiments.contest import over_seeds, score_table
from fingal.experiments.matches import Meeting, Score, in_percent
from fingal.experiments.paper_002 import protocol, quoted
from fingal.experiments.paper_002.learning import Result, lines
from fingal.experiments.paper_002.protocol import Searches

SUPERVISED, TRAINED = "the supervised net", "the trained net"


def equal_simulations(net: Path, how: Searches) -> Iterator[Meeting]:
    """Table 1: the net's prior against the patterns', on every board."""
    for size in how.sizes:
        yield _meeting("prior of the net", protocol.prior(how.plain(), net), how.plain(), size, how.games)


def uniform(net: Path, how: Searches) -> Iterator[Meeting]:
    """The net's prior against none: every move is as likely as any other."""
    for size in how.sizes:
        met = _meeting("prior of the net", protocol.prior(how.plain(), net), how.plain(",bias=0"), size, how.games)
        yield met


def equal_time(net: Path, how: Searches) -> Iterator[Meeting]:
    """Table 3: the same at equal time."""
    for size in how.sizes:
        yield _meeting("prior of the net", protocol.prior(how.timed(), net), how.timed(), size, how.timed_games)


def both_nets(supervised: Path, trained: Path, how: Searches) -> Iterator[Meeting]:
    """Whether the prior is better from the supervised net, as in the paper, or from one that has learned on."""
    size = how.sizes[0]
    one, two = (protocol.prior(how.plain(), net) for net in (supervised, trained))
    yield _meeting(f"prior of {TRAINED}", two, how.plain(), size, how.games)
    yield Meeting(f"prior of {TRAINED}", two, one, size, "all", how.games, against=f"prior of {SUPERVISED}")


def backups(how: Searches) -> Iterator[Meeting]:
    """The minimum as back-up against the mean."""
    for size in how.sizes:
        yield _meeting("minimum as back-up", how.plain(",backup=min"), how.plain(), size, how.games)


def transfers(net: Path, sizes: Sequence[int]) -> Iterator[Meeting]:
    """The net on boards that it was not trained on."""
    return (protocol.against_random(net, size) for size in sizes)


def trained_net(result: Result) -> Path | None:
    """The last net of the first run of the learner that won the most on the supervised net's board."""
    made = lines(result.finished, result.opponent, result.scale)
    here = [line for line in made if line.runs[0].size == result.scale.size and line.ends(result.scores)]
    if not here:
        return None

    def won(scores: Sequence[Score]) -> float:
        mean = over_seeds(scores)
        return 0.0 if mean is None else mean.value

    run = max(here, key=lambda line: won(line.ends(result.scores))).runs[0]
    return run.nets[max(run.nets)]


def meetings(result: Result) -> Iterator[Meeting]:
    """The matches of the parts that are asked for, but those with a net that figure 2 chooses."""
    how, parts, net = result.scale.searches, result.parts, result.supervised
    if "backup" in parts:
        yield from backups(how)
    if net is None:
        return
    if "transfer" in parts:
        yield from transfers(net, result.scale.sizes)
    if "table-1" in parts:
        yield from equal_simulations(net, how)
        yield from uniform(net, how)
    if "table-3" in parts:
        yield from equal_time(net, how)


def last_meetings(result: Result) -> Iterator[Meeting]:
    """Those with that net."""
    net, trained = result.supervised, trained_net(result)
    if "prior" in result.parts and net is not None and trained is not None:
        yield from both_nets(net, trained, result.scale.searches)


def sections(result: Result) -> list[Section]:
    """What there is something for."""
    net, parts = result.supervised, result.parts
    made: list[Section | None] = []
    if net is not None:
        made += [transfer_section(result, net), table_1(result, net)]
    if "table-2" in parts:
        made.append(table_2())
    if net is not None:
        made += [table_3(result, net), prior_section(result, net, trained_net(result))]
    made.append(backup_section(result))
    return [section for section in made if section is not None]


def table_1(result: Result, net: Path) -> Section | None:
    """The net's prior at equal simulations."""
    how = result.scale.searches
    scores = result.scored(equal_simulations(net, how))
    plain = result.scored(uniform(net, how))
    if not scores:
        return None
    rows = [_beside(score, _quoted(score.meeting.size)) for score in scores]
    words = (
        "<p><b>The paper:</b> MoHex 2.0 with the supervised net's policy as prior against MoHex 2.0 with its patterns' "
        "prior, 10,000 simulations a move, every opening once with each colour; the net was trained on 9x9 alone. "
        f"<b>Here:</b> <code>{text(how.plain())}</code> with the prior of a net trained on "
        f"{result.scale.size}x{result.scale.size} against the same search with its own.</p>"
    )
    body = words + table(["board", "games", "won", "as first", "as second", "in the paper"], rows)
    if plain:
        body += "<p>Against the same search without any prior:</p>" + score_table(plain)
    return Section("table-1", "Table 1: the net as prior, equal simulations", body, "Table 1")


def table_2() -> Section:
    """Quoted: its opponents are not to be had."""
    rows = [[text(name), text(few), text(many)] for name, few, many in quoted.OTHERS]
    words = (
        "<p>On 9x9 against MoHex 2011, 162 games: won as first / as second / all, in percent. Neither MoHex 2011 nor "
        "ExIt is to be had here: the paper's numbers stand alone.</p>"
    )
    head = ["", "10,000 simulations", "100,000 simulations"]
    return Section("table-2", "Table 2, quoted", words + table(head, rows), "Table 2")


def table_3(result: Result, net: Path) -> Section | None:
    """The net's prior at equal time."""
    how = result.scale.searches
    scores = result.scored(equal_time(net, how))
    if not scores:
        return None
    rows = []
    for score in scores:
        first, second, _ = quoted.EQUAL_TIME.get(score.meeting.size, (0.0, 0.0, 0.0))
        rows.append(_beside(score, f"{(first + second) / 2:.1f}%" if first else "·"))
    words = (
        "<p><b>The paper:</b> 5 s a move on a GTX 1080, with a solver beside the search. <b>Here:</b> "
        f"{how.seconds:g} s a move on one core of a CPU, where asking the net costs far more beside a playout.</p>"
    )
    body = words + table(["board", "games", "won", "as first", "as second", "in the paper"], rows)
    return Section("table-3", "Table 3: the net as prior, equal time", body, "Table 3")


def prior_section(result: Result, supervised: Path, trained: Path | None) -> Section | None:
    """Which net's prior."""
    if trained is None:
        return None
    scores = result.scored(both_nets(supervised, trained, result.scale.searches))
    words = (
        "<p><b>The paper:</b> its search has the supervised net; whether the trained one is better is not said. "
        "The trained net here is the last of the learner that won the most.</p>"
    )
    return Section("prior", "Which net as prior", words + score_table(scores), "Prior") if scores else None


def backup_section(result: Result) -> Section | None:
    """The minimum in the tree."""
    scores = result.scored(backups(result.scale.searches))
    words = "<p><b>The paper:</b> says that it helped on 13x13, and shows no games.</p>"
    return Section("backup", "The minimum as back-up", words + score_table(scores), "Back-up") if scores else None


def transfer_section(result: Result, net: Path) -> Section | None:
    """Other boards."""
    scores = result.scored(transfers(net, result.scale.sizes))
    words = (
        f"<p>The supervised net, trained on {result.scale.size}x{result.scale.size} alone, plays its best move against "
        "a random player: every opening once with each colour.</p>"
    )
    return Section("transfer", "On other boards", words + score_table(scores), "Transfer") if scores else None


def findings(result: Result) -> dict[str, Any]:
    """What the matches gave, by board."""
    how, net, trained = result.scale.searches, result.supervised, trained_net(result)
    told: dict[str, Any] = {"backup_min": _rates(result.scored(backups(how)))}
    if net is not None:
        told["equal_simulations"] = _rates(result.scored(equal_simulations(net, how)))
        told["against_no_prior"] = _rates(result.scored(uniform(net, how)))
        told["equal_time"] = _rates(result.scored(equal_time(net, how)))
        told["against_random"] = _rates(result.scored(transfers(net, result.scale.sizes)))
    if net is not None and trained is not None:
        met = result.scored(both_nets(net, trained, how))
        told["trained_prior"] = {score.meeting.against or "patterns": score.rate for score in met}
    return told


def _meeting(name: str, player: str, opponent: str, size: int, games: int | None) -> Meeting:
    return Meeting(f"{name}, {size}x{size}", player, opponent, size, "all", games)


def _beside(score: Score, paper: str) -> list[str]:
    size = score.meeting.size
    rates = [tinted(rate.value, in_percent(rate)) for rate in (score.rate, score.first, score.second)]
    return [f"{size}x{size}", f"{len(score.games)} ({score.distinct})", *rates, paper]


def _quoted(size: int) -> str:
    rate = next((quote.all for quote in quoted.EQUAL_SIMULATIONS if quote.size == size), None)
    return "·" if rate is None else in_percent(rate)


def _rates(scores: Sequence[Score]) -> dict[str, Any]:
    return {f"{score.meeting.size}x{score.meeting.size}": score.rate for score in scores}
