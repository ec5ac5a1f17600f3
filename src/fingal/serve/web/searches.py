"""Everything that takes longer than a moment: players that move, analyses, reviews. Bounded in number and in memory.

A few threads do the work. Moves go before analyses, which give way and go on later; a player is kept for each key, so
that a game's next move, or the analysis of the next node, finds the tree of the one before.
"""

from __future__ import annotations

import contextlib
import functools
import os
import threading
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from fingal.game import Record, Special
from fingal.players import spec
from fingal.players.adjusted import Adjusted
from fingal.players.player import NO_LIMIT, Interruptible, Limit, Player, Remarking, ask, judgement
from fingal.players.searching import SearchPlayer, searching
from fingal.search.growing import Search
from fingal.serve.web.jobs import Busy, Job, Jobs
from fingal.serve.web.kept import EDGE, Kept
from fingal.serve.web.seen import Chosen, Seen, seen_in, single, value_after

__all__ = ["Busy", "Chosen", "Searches", "Seen"]

T = TypeVar("T")

EVERY = 0.2
"""Seconds between two things that an analysis tells, at least."""
LONGEST = 600.0
"""Seconds of thinking after which an analysis ends."""
MOST_VISITS = 200_000
"""Visits after which an analysis ends."""
SHOWN_LINES = 20
"""Candidates of a player that moves, where its thinking is shown."""


class Searches:
    """Does what is asked in threads of its own. All methods return at once and may be called from any thread.

    What is given as ``done`` or ``tell`` is called from those threads and must be quick; it is not called any more once
    ``cancel`` has returned. A key has one search: a new one under the same key cancels the old one.
    """

    def __init__(self, most: int | None = None, *, threads: int = 1, megabytes: int = 1024) -> None:
        """At most ``most`` searches at a time; if not given, as many as there are cores, and 2 at least.

        ``threads`` are the most that a player's text may ask for, ``megabytes`` what all trees may take together.
        """
        self.most = max(2, os.cpu_count() or 2) if most is None else most
        self.threads = threads
        self._jobs = Jobs(self.most)
        self._kept = Kept(megabytes * 1_000_000 // 4)
        self._room = megabytes * 1_000_000 * 3 // 4
        self._lock = threading.Lock()
        self._trees = 0
        """How many searches that may have a tree are under way."""

    def choose(
        self,
        key: str,
        player: str,
        record: Record,
        limit: Limit,
        done: Callable[[Chosen | Exception], None],
        shown: Callable[[Seen], None] | None = None,
    ) -> None:
        """A player's move at the end of a record, which must not be changed meanwhile.

        The player's own limit, if its text has one, counts as well as ``limit``'s seconds. ``shown`` is told what it
        thinks while it thinks. ``Busy`` when too much is waiting.
        """

        def work(job: Job) -> bool:
            with self._player(job, player) as chosen_by:
                chosen = self._choose(job, chosen_by, record, limit, shown)
            job.tell(lambda: done(chosen))
            return True

        self._jobs.add(Job(key, True, False, work, done))

    def analyse(
        self, key: str, player: str, record: Record, lines: int, tell: Callable[[Seen | Exception], None]
    ) -> None:
        """Tell what a player thinks of the end of a record, again and again, the last time with ``done``.

        It ends when the result is proven, after ``LONGEST`` seconds or ``MOST_VISITS`` visits, or when its tree has
        its share of the memory. A player that does not search answers once. ``Busy`` when too much is waiting.
        """

        def work(job: Job) -> bool:
            with self._player(job, player) as asked:
                found = searching(asked)
                if found is None:
                    with job.interruptible(_interrupt(asked)):
                        seen = _answer(asked, record)
                    job.tell(lambda: tell(seen))
                    return True
                return self._analyse(job, found, record, lines, tell)

        self._jobs.add(Job(key, False, True, work, tell))

    def run(
        self,
        key: str,
        work: Callable[[Callable[[], bool]], T],
        done: Callable[[T | Exception], None],
        *,
        urgent: bool = False,
    ) -> None:
        """Anything else: ``work`` is given a function that says whether it has been cancelled, and asks it often.

        ``urgent`` is for what takes a second or two and somebody waits for, as a hint. ``Busy`` when too much waits.
        """

        def do(job: Job) -> bool:
            result = work(lambda: job.cancelled)
            job.tell(lambda: done(result))
            return True

        self._jobs.add(Job(key, urgent, False, do, done))

    def cancel(self, key: str) -> None:
        """End what is under way for a key, if anything is; nothing more is told of it. Its player stays as it is."""
        self._jobs.cancel(key)

    def forget(self, key: str) -> None:
        """Cancel, and let go of the player that is kept for the key: its game is over or nobody looks."""
        self._jobs.cancel(key, forget=True)
        self._kept.forget(key)

    def close(self) -> None:
        """End everything and wait for it, though not for long; nothing more is told."""
        self._jobs.close()
        self._kept.close()

    @property
    def busy(self) -> int:
        """How many searches are under way or waiting."""
        return len(self._jobs)

    @contextlib.contextmanager
    def _player(self, job: Job, text: str) -> Iterator[Player]:
        """The player that was kept for the job's key, or a new one."""
        threads = spec.parse(text).settings.get("threads", "1")
        if threads.isdigit() and int(threads) > self.threads:
            raise ValueError(f"threads={threads} is not possible here: {self.threads} at most")
        player = self._kept.take(job.key, text) or spec.make(text)
        with self._lock:
            self._trees += 1
        try:
            yield player
        except BaseException:
            player.close()
            raise
        else:
            if (found := searching(player)) is not None:
                found.search.take_back_interrupt()
            if job.forgotten or (found is None and job.stopped):
                # One that does not search may not have heard of the interrupt yet, and take it for the next move's.
                player.close()
            else:
                self._kept.keep(job.key, text, player)
        finally:
            with self._lock:
                self._trees -= 1

    def _is_full(self, search: Search) -> bool:
        """Whether a search's tree has its share of the memory: all of it, over the searches that are under way."""
        return search.edges * EDGE > self._room // max(1, self._trees)

    def _choose(
        self, job: Job, player: Player, record: Record, limit: Limit, shown: Callable[[Seen], None] | None
    ) -> Chosen:
        board = record.board()
        begun = time.monotonic()
        found = searching(player)
        told = begun

        def watch(search: Search) -> None:
            nonlocal told
            now = time.monotonic()
            if self._is_full(search):
                search.interrupt()
            if shown is not None and now - told >= EVERY:
                told = now
                seen = seen_in(search, player.name, board, SHOWN_LINES, now - begun, done=False)
                job.tell(lambda: shown(seen))

        if found is not None:
            found.watch = watch
        try:
            with job.interruptible(_interrupt(player)), _deadline(job, limit.seconds):
                move = ask(player, record, board, limit)
        finally:
            if found is not None:
                found.watch = lambda search: None
        seconds = time.monotonic() - begun
        remark = player.remark if isinstance(player, Remarking) else ""
        value = value_after(judgement(player), board.turn, move)
        seen = None
        if found is not None and value is not None:
            seen = seen_in(found.search, player.name, board, SHOWN_LINES, seconds, done=True)
        return Chosen(move, player.name, value, remark, round(seconds, 3), seen)

    def _analyse(
        self, job: Job, player: SearchPlayer, record: Record, lines: int, tell: Callable[[Seen | Exception], None]
    ) -> bool:
        """Think until it is done (True) or has to give way (False)."""
        board = record.board()
        begun = told = time.monotonic()
        before = job.seconds
        done = True
        search: Search | None = None
        looks = player.analyse(record)
        with job.interruptible(player.interrupt), contextlib.closing(looks):
            for search in looks:
                now = time.monotonic()
                job.seconds = before + now - begun
                if job.cancelled or job.seconds > LONGEST or search.visits >= MOST_VISITS:
                    break
                if self._is_full(search):
                    break
                if self._jobs.must_give_way(now - begun):
                    done = False
                    break
                if now - told >= EVERY or (told == begun and not before):
                    told = now
                    seen = seen_in(search, player.name, board, lines, job.seconds, done=False)
                    job.tell(functools.partial(tell, seen))
        if done and search is not None:
            last = seen_in(search, player.name, board, lines, job.seconds, done=True)
            job.tell(lambda: tell(last))
        return done


def _answer(player: Player, record: Record) -> Seen:
    """What a player that does not search says of a position, the swap and its own random moves left out."""
    begun = time.monotonic()
    while isinstance(player, Adjusted):
        player = player.player
    asked = record.until(record.end)
    if all(move != Special.SWAP_PIECES for _, move in asked.moves):
        asked.swap = False
    board = asked.board()
    move = ask(player, asked, board, NO_LIMIT)
    return single(board, move, judgement(player), player.name, time.monotonic() - begun)


def _interrupt(player: Player) -> Callable[[], None] | None:
    while isinstance(player, Adjusted):
        player = player.player
    return player.interrupt if isinstance(player, Interruptible) else None


@contextlib.contextmanager
def _deadline(job: Job, seconds: float | None) -> Iterator[None]:
    """Interrupt after so many seconds, for players that keep to a limit of their own."""
    if seconds is None:
        yield
        return
    timer = threading.Timer(seconds, job.stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
