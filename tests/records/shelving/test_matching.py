"""A search in a leaf of words finds what reading every line of it would find."""

import random
from collections import defaultdict

import pytest

from apps.records.presenters.normalizing import normalized
from apps.records.shelving import matching, search_terms
from apps.records.shelving.matching import LOWEST, Rank
from apps.records.shelving.search_terms import MARK, Around
from tests.effort import at_most

PIECES = (
    *("sodium", "glucose", "flu", "hepatitis a", "hepatitis b", "vitamin d", "type 2", "2019", "seen 2019 and 2020"),
    *("type-2", "a1c", "6.1", "a", "d", "1", "19", "19-3", "201", "20199", "ñandú", "á", "d,25", "(d)", "a/b", "x"),
    *("ct scan", "fracture", "x/ct", "«se»", "500mg", "d'ag", "ct1", "血ct", "rose"),
    *("azúcar", "سكر", "血糖", "papa", "aaa", "vitamins", "potassium", "(2019)", "d", "ad", "da"),
)
KEYS = ("sodium", "glucose", "against-flu", "lipids", "a1c", "=Condition=2019", "=Goal=a", "a", "2019")
YEARS = ("2018", "2019", "2020", "201", "-")
ASKED = (
    *("sodium", "glucose", "flu", "hepatitis", "a", "d", "2019", "2020", "19", "1", "x", "vitamin", "vitamins", "type"),
    *(
        "azucar",
        "gripe",
        "سكر",
        "血",
        "á",
        "6.1",
        "201",
        "zebra",
        "b",
        "25",
        "=",
        "goal",
        "condition",
        "e",
        "potassium",
        "od",
        "se",
        "pa",
        "aa",
        *("ct", "mg", "ag", "血糖"),
    ),
)


def plain_reading(lines, words, around, least):
    """The rule as it stands in `matching.best`, of one line after the other."""
    found = defaultdict(list)
    for number, line in enumerate(lines.decode().split("\n")):
        name, *keys, year = line.split(MARK)
        said = {word for word in words if word.is_in(name.encode()) or any(word.means(key) for key in keys)}
        dated = {word for word in words if word.year and f"{MARK}{year}".encode() == word.year}
        true = tuple(word for word in words if around[word] or word in said | dated)
        ways = {Around.YEAR for _word in dated}.union(*(around[word] for word in true))
        if said or (len(true) > 1 and len(ways) > 1):
            rank = Rank(len(true), bool(said) or len(true) == len(words))
            if rank >= least:
                found[rank, true].append(number)
    most = max((rank for rank, _true in found), default=least)
    return most, {true: numbers for (rank, true), numbers in found.items() if rank == most}


def leaf(chance, count):
    def line():
        name = normalized(" ".join(chance.choices(PIECES, k=chance.randint(0, 4))))
        keys = chance.choices(KEYS, k=chance.choice((0, 0, 1, 2))) or [""]
        return f"{name}{MARK}{MARK.join(keys)}{MARK}{chance.choice(YEARS)}"

    return "\n".join(line() for _number in range(count)).encode()


class TestWhatIsFoundInALeaf:
    @pytest.mark.parametrize("seed", range(40))
    def test_is_what_a_plain_reading_of_every_line_finds(self, seed):
        chance = random.Random(seed)
        for _time in range(25):
            lines = leaf(chance, chance.choice((1, 3, 60)))
            words = search_terms.read(" ".join(chance.choices(ASKED, k=chance.randint(1, 5))))
            ways = [frozenset(), frozenset(), frozenset({Around.LIST}), frozenset({Around.PROVIDER})]
            around = {word: chance.choice(ways) for word in words}
            least = chance.choice((LOWEST, Rank(1, is_said=True), Rank(2, is_said=False), Rank(2, is_said=True)))
            found = matching.best(lines, words, around, least)
            assert (found.rank, dict(found.lines)) == plain_reading(lines, words, around, least), (lines, words)

    @pytest.mark.parametrize(
        "words", ["seen", "a", "abcdefghijklmnopqrstuvwxyz", "0123456789", "2019 2020 2021", "in er an es ti on"]
    )
    def test_takes_little_where_no_two_lines_are_alike(self, words):
        lines = "\n".join(
            f"pain in shoulder, hepatitis a, seen {number}{MARK}{MARK}{2000 + number % 25}" for number in range(16_000)
        )
        asked = search_terms.read(words if " " in words or words == "seen" else " ".join(words))
        with at_most(4):
            matching.best(lines.encode(), asked, {word: frozenset() for word in asked}, LOWEST)


class TestAWordThatIsTrueInTwoWays:
    def test_finds_nothing_alone_and_what_another_is_true_of_as_well(self):
        lines = f"sodium{MARK}{MARK}2019\niron{MARK}{MARK}2019".encode()
        care, other = search_terms.read("harbor sodium")
        around = {care: frozenset([Around.LIST, Around.PROVIDER]), other: frozenset()}
        assert not matching.best(lines, [care], around, LOWEST).lines
        assert matching.best(lines, [care, other], around, LOWEST).lines == {(care, other): [0]}
