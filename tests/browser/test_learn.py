"""Learn: puzzles are solved, missed and explained on the board, and the swap trainer tells the truth."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from fingal.analysis.connections import Connections
from fingal.game import Board, formats
from fingal.serve.web.puzzles import Puzzle, load
from tests.browser.conftest import Open
from tests.browser.parts import button, cell, says
from tests.solve.truth import OPENINGS

PUZZLES = list(load().values())
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


def some(size: int, grade: int) -> Puzzle:
    return random.Random(size * 10 + grade).choice([p for p in PUZZLES if (p.size, p.grade) == (size, grade)])


def board_of(puzzle: Puzzle) -> Board:
    return formats.position(puzzle.position).board()


def verdict(page: Any) -> Any:
    return page.locator(".verdict strong")


def test_the_right_move_is_praised_and_its_connection_shown(open_page: Open) -> None:
    puzzle = some(6, 3)
    page = open_page(f"#/learn/puzzles/{puzzle.id}")
    cell(page, puzzle.answer).click()
    expect(verdict(page)).to_have_text("Right")
    expect(page.locator(".verdict")).to_contain_text(f"{puzzle.answer} is right")
    board = board_of(puzzle)
    mover = board.turn
    board.push(puzzle.answer)
    carrier = Connections(board, mover).winning_carrier()
    expect(page.locator('.lesson-board .cell[aria-label*="connection"]')).not_to_have_count(0)
    if carrier is not None:
        expect(page.locator('.lesson-board .cell[aria-label*="connection"]')).to_have_count(len(carrier))
    expect(page.locator(".score")).to_contain_text(f"Solved 1 of {len(PUZZLES)}")
    expect(page.locator(".score")).to_contain_text("streak 1")
    page.reload()
    expect(page.locator(".score")).to_contain_text(f"Solved 1 of {len(PUZZLES)}")


def test_a_wrong_move_is_refuted_and_may_be_taken_back(open_page: Open) -> None:
    puzzle = some(5, 2)
    board = board_of(puzzle)
    wrong = next(board.name(move) for move in board.empty_cells if board.name(move) != puzzle.answer)
    page = open_page(f"#/learn/puzzles/{puzzle.id}")
    cell(page, wrong).click()
    expect(verdict(page)).to_have_text("Not this one")
    expect(page.locator(".verdict")).not_to_contain_text(f"{puzzle.answer} is")
    button(page, "Try again").click()
    says(page, wrong, "empty")
    cell(page, puzzle.answer).click()
    expect(verdict(page)).to_have_text("Right")
    # What counts is the first try.
    expect(page.locator(".score")).to_contain_text("Solved 0 of")
    expect(page.locator(".score")).to_contain_text("streak 0")


def test_the_answer_is_shown_to_who_asks_and_not_before(open_page: Open) -> None:
    puzzle = some(7, 5)
    page = open_page(f"#/learn/puzzles/{puzzle.id}")
    expect(page.locator(".lesson-about")).to_contain_text(f"Grade 5 · 7×7 · {puzzle.missed} of {puzzle.asked}")
    expect(verdict(page)).to_have_count(0)
    button(page, "Show answer").click()
    expect(verdict(page)).to_have_text("The answer")
    expect(page.locator(".verdict")).to_contain_text(f"{puzzle.answer} is the only move that wins")


def test_keys_alone_are_enough(open_page: Open) -> None:
    puzzle = some(5, 1)
    page = open_page(f"#/learn/puzzles/{puzzle.id}")
    expect(page.locator(".lesson-board .stone")).not_to_have_count(0)
    cell(page, puzzle.answer).focus()
    page.keyboard.press("Enter")
    expect(verdict(page)).to_have_text("Right")
    page.keyboard.press("n")
    expect(page.locator(".lesson-side")).not_to_contain_text("is right")
    expect(page).not_to_have_url(f"{page.url.split('#')[0]}#/learn/puzzles/{puzzle.id}")
    page.keyboard.press("a")
    expect(verdict(page)).to_have_text("The answer")


def test_grades_and_sizes_decide_what_comes_next(open_page: Open) -> None:
    page = open_page("#/learn")
    page.get_by_role("button", name="Grade 4").click()
    page.get_by_role("radio", name="5", exact=True).check()
    button(page, "Another").click()
    expect(page.locator(".lesson-about")).to_contain_text("Grade 4 · 5×5")


def test_every_new_puzzle_is_read_out(open_page: Open) -> None:
    page = open_page("#/learn")
    page.get_by_role("button", name="Grade 4").click()
    page.get_by_role("radio", name="5", exact=True).check()
    page.evaluate(
        """() => {
            window.heard = [];
            const place = document.getElementById("announcer");
            new MutationObserver(() => window.heard.push(place.textContent)).observe(place, { childList: true });
        }"""
    )
    for _ in range(6):  # among so many Black and White are to move more than once
        before = page.url
        button(page, "Another").click()
        page.wait_for_function("(before) => location.href !== before", arg=before)
    page.wait_for_function("() => window.heard.length === 6")
    for said in page.evaluate("window.heard"):
        assert said.startswith("Grade 4, 5 by 5.")
        assert "to move. Find the only winning move." in said


def test_a_puzzle_can_be_taken_to_the_analysis_board(open_page: Open) -> None:
    puzzle = some(6, 2)
    page = open_page(f"#/learn/puzzles/{puzzle.id}")
    cell(page, puzzle.answer).click()
    button(page, "Analyse").click()
    page.wait_for_url("**/#/analyse/*")
    board = board_of(puzzle)
    expect(page.locator(".board .stones .stone")).to_have_count(board.cells - len(board.empty_cells))


def opened(page: Any) -> str:
    return str(page.locator(".lesson-about").inner_text().split(" at ")[1].split(".")[0])


def test_a_round_of_the_swap_trainer_and_its_map(open_page: Open) -> None:
    page = open_page("#/learn/swap/7")
    expect(page.locator(".lesson-about")).to_contain_text("has opened at")
    truth = set(OPENINGS["7x7"])
    asked = []
    for number in range(10):
        first = opened(page)
        asked.append(first)
        # All right but the fourth.
        button(page, "Swap" if (first in truth) != (number == 3) else "Don't swap").click()
        expect(verdict(page)).to_have_text("Wrong" if number == 3 else "Right")
        expect(page.locator(".verdict")).to_contain_text("This is proven")
        button(page, "See the map" if number == 9 else "Next").click()
    assert len(set(asked)) == 10
    expect(page.locator(".lesson-title")).to_have_text("9 of 10 right")
    expect(page.locator(".verdict")).to_contain_text(f"Mistakes: {asked[3]}. Longest streak 6.")
    for name in (Board(7).name(number) for number in range(49)):
        said = "swap" if name in truth else "do not swap"
        mine = ", your mistake" if name == asked[3] else ", you were right" if name in asked else ""
        says(page, name, f"empty, {said}{mine}")
    button(page, "Another round").click()
    expect(page.locator(".score")).to_contain_text("0 right of 0 · streak 0 · best 9 of 10")


def test_the_swap_trainer_by_keys(open_page: Open) -> None:
    page = open_page("#/learn/swap/5")
    expect(page.locator(".lesson-about")).to_contain_text("has opened at")
    right = opened(page) in OPENINGS["5x5"]
    page.keyboard.press("s")
    expect(verdict(page)).to_have_text("Right" if right else "Wrong")
    page.keyboard.press("n")
    expect(verdict(page)).to_have_count(0)
    page.keyboard.press("d")
    expect(verdict(page)).to_have_count(1)


def test_a_round_on_the_smallest_board_counts_its_own_stones(open_page: Open) -> None:
    page = open_page("#/learn/swap/4")
    expect(page.locator(".steps li")).to_have_count(8)
    for _ in range(8):
        page.keyboard.press("s")
        page.keyboard.press("n")
    expect(page.locator(".lesson-title")).to_contain_text("of 8 right")
    expect(page.locator(".score")).to_contain_text(re.compile(r"best \d of 8$"))


def test_an_estimate_is_called_one(open_page: Open) -> None:
    page = open_page("#/learn/swap/11")
    expect(page.locator(".source")).to_contain_text("estimate")
    button(page, "Swap").click()
    expect(page.locator(".verdict")).to_contain_text("This is an estimate")
    page.get_by_role("radio", name="6", exact=True).check()
    expect(page.locator(".source")).to_contain_text("this is the truth")


@pytest.mark.parametrize("where", ["#/learn/puzzles", "#/learn/swap/9"])
def test_a_phone_shows_it_without_scrolling_sideways(open_page: Open, where: str) -> None:
    page = open_page(where, **PHONE)
    expect(page.locator(".lesson-board .stone")).not_to_have_count(0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(page.locator(".lesson-actions .button").first).to_be_in_viewport()
    expect(page.locator(".lesson-board")).to_be_in_viewport(ratio=1)


def test_on_a_phone_a_tap_on_a_small_cell_is_confirmed_by_another(open_page: Open) -> None:
    puzzle = some(9, 1)
    page = open_page(f"#/learn/puzzles/{puzzle.id}", **PHONE)
    cell(page, puzzle.answer).tap()
    expect(page.locator(".score")).to_have_text(f"Tap {puzzle.answer} again to play it.")
    expect(verdict(page)).to_have_count(0)
    cell(page, puzzle.answer).tap()
    expect(verdict(page)).to_have_text("Right")
