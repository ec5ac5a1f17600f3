"""Players: the contract, the text that names them, and one file per kind.

To add a kind, add one file here. Its name is the kind's (``shortest_path.py`` is ``shortest-path``); it holds

1. a docstring whose first line says what the kind does: ``fingal players`` shows it;
2. a frozen dataclass ``Settings`` with a docstring under every field. A field with no default is the kind's argument
   (``net:fingal-small``); the others are settings (``uct:sims=1000``). Types: int, float, str, bool, a ``Literal`` of
   texts, and each of them ``| None``. Fields called ``seed`` and ``temperature`` receive the settings that every kind
   takes. Fields called ``sims``, ``time`` or ``nodes``, when they stand in a text, become the ``Limit`` of every move;
3. ``make(settings)``, which gives the player. What takes long to import is imported in it.

``fingal.testing.check_player("my-kind")`` then says whether it keeps the contract. ``examples/my_player.py`` is a
complete one.
"""

from fingal.players.player import NO_LIMIT, Interruptible, Limit, Player, PlayerError, open_board
from fingal.players.spec import Kind, Setting, Spec, kinds, make, parse

__all__ = [
    "NO_LIMIT",
    "Interruptible",
    "Kind",
    "Limit",
    "Player",
    "PlayerError",
    "Setting",
    "Spec",
    "kinds",
    "make",
    "open_board",
    "parse",
]
