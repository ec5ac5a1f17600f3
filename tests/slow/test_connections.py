"""Claimed connections of real games and edge templates, by search that knows only the rules."""

from fingal import _core
from tests.analysis.game_claims import attack, games

CLAIMS = 10_000
LARGEST = 21
"""Cells in a carrier: each more doubles the time of the search."""


def test_no_claim_of_real_games_can_be_broken() -> None:
    print()
    attacked, sizes = 0, dict.fromkeys(range(5, 10), 0)
    for seed in range(100):
        for size, moves in games():
            count = attack(size, moves, each=8, largest=LARGEST, seed=seed)
            attacked += count
            sizes[size] += count
        print(f"{attacked:,} claims attacked: {sizes}")
        if attacked >= CLAIMS:
            break
    assert attacked >= CLAIMS
    assert all(sizes.values())


def test_edge_templates_hold() -> None:
    """Each one with nothing outside its carrier to help; of those that are not too large, without any one cell."""
    finder = _core.TemplateFinder()
    pictures = _core.edge_templates()
    print(f"\n{len(pictures)} templates of up to {max(picture.count('*') for picture in pictures)} cells")
    assert all(finder.holds(picture) for picture in pictures)
    small = [picture for picture in pictures if picture.count("*") <= 20]
    assert all(finder.is_minimal(picture) for picture in small)
