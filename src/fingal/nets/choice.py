"""The nets of paper 003, and ours beside them, by name: any learner takes any of them.

========================  ==================================================  ==================
name                      net                                                 boards
========================  ==================================================  ==================
feed-forward              dense layers                                        the size it is for
convolutional             5x5 kernels with shortcuts                          any
convolutional-cube        the same, with cube coordinates                     any
convolutional-edges       ours: with a ring of stones around the board        any
transformer-cube          attention, with cube coordinates                    any
transformer-learned       attention, with learned positions                   the size it is for
transformer-relative      ours: attention by offsets, normalised beforehand   any
========================  ==================================================  ==================

A file's card names the net by its module: ``feedforward``, ``shortcut`` or ``transformer``. What a card calls
``convolutional`` is the net of paper 002.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

from fingal.nets import feedforward, shortcut, transformer
from fingal.nets.signed_net import Head, Signed, Squash

Name = Literal[
    "feed-forward",
    "convolutional",
    "convolutional-cube",
    "convolutional-edges",
    "transformer-cube",
    "transformer-learned",
    "transformer-relative",
]

NAMES: tuple[str, ...] = get_args(Name)

PAPER_NAMES = NAMES[:3] + NAMES[4:6]
"""The paper's five."""

WIDTH = 128
"""The paper's, of every net."""

HEAD = 16
"""How wide a transformer's head is, whatever the net's width: the paper's."""

Config = feedforward.Config | shortcut.Config | transformer.Config


def build(
    name: str,
    size: int,
    *,
    width: int | None = None,
    head: Head = "q",
    squash: Squash = "none",
    dueling: bool = False,
) -> Signed:
    """An untrained net by its name, for boards of ``size`` x ``size``; ``torch.manual_seed`` decides which.

    ``width`` is that of every hidden layer, or the channels of a convolutional net; the paper's 128 if it is None.
    The rest is what ``signed_net.Kind`` says. ValueError, with a sentence that names the setting, for what cannot be
    built.
    """
    return of(replace(shape(name, size, width), head=head, squash=squash, dueling=dueling))


def of(config: Config) -> Signed:
    """An untrained net of a shape."""
    if isinstance(config, feedforward.Config):
        return feedforward.Feedforward(config)
    return shortcut.Shortcut(config) if isinstance(config, shortcut.Config) else transformer.Transformer(config)


def shape(name: str, size: int, width: int | None = None) -> Config:
    """The shape of a net by its name, with head ``q``: no net is made, so settings can be checked by it at no cost."""
    width = WIDTH if width is None else width
    if name not in NAMES:
        raise ValueError(f"net must be one of {', '.join(NAMES)}, not {name!r:.40}")
    if not 1 <= size <= 19:
        raise ValueError(f"size must be from 1 to 19, not {size}")
    if not 1 <= width <= 1024:
        raise ValueError(f"width must be from 1 to 1024, not {width}")
    if name == "feed-forward":
        return feedforward.Config(size=size, hidden=(width,) * 3)
    if name.startswith("convolutional"):
        return shortcut.Config(channels=width, cube=name.endswith("cube"), edges=name.endswith("edges"))
    if width % HEAD:
        raise ValueError(f"width must be a multiple of {HEAD}, a head's, for a transformer, not {width}")
    config = transformer.Config(width=width, heads=width // HEAD, dense=4 * width)
    if name == "transformer-learned":
        return replace(config, positions="learned", size=size)
    return replace(config, positions="relative", norm="pre") if name == "transformer-relative" else config
