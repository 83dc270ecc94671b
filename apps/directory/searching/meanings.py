"""What was typed, and which words of the vocabulary it may mean."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from django.db.models import F, QuerySet, Value
from django.db.models.functions import Left

from apps.directory.models import SearchWord
from apps.directory.searching import near_words
from apps.directory.words import mistyping, spelling, web_addresses

LONGEST_QUERY = 200
_MOST_WORDS = 8
_MOST_MEANINGS = 100  # vocabulary words with a typed one as prefix
_MOST_SIMILAR = 20  # similar vocabulary words for a typed one
_MOST_PARTS = 4
_LONGEST_PART = 20
# A key for words that are found as pieces of typed ones; no typed word looks like it.
_PIECES = "pieces "
# Stop words: searched only if nothing else was typed.
_IDLE = frozenset("and the of at for in a an to inc llc ltd pc pllc http https www com org net".split())  # noqa: SIM905


Rows = QuerySet[SearchWord, Any]  # the word typed, a word of the vocabulary, its uses


@dataclass(frozen=True)
class Meaning:
    """One word of the query: a provider matches if it has any of these `words`. Their values are edit distances from
    what was typed."""

    typed: str
    words: Mapping[str, int]
    uses: int = 0  # by how many providers: the more, the less specific

    @property
    def is_known(self) -> bool:
        """Whether any provider has it."""
        return self.uses > 0


@dataclass(frozen=True)
class Query:
    """The significant words of what was typed; `plain` is all of it, to compare with names."""

    words: tuple[str, ...]
    plain: str
    is_address: bool = field(default=False)


def read(text: str) -> Query:
    """Parse what was typed or pasted. Only letters and digits are kept."""
    words: list[str] = []
    has_address = False
    for token in text[:LONGEST_QUERY].split():
        address = web_addresses.read(token)
        words += _of_address(address) if address else spelling.plain_words(token)
        has_address = has_address or address is not None
    cut = [word[: spelling.LONGEST_WORD] for word in words]
    telling = [word for word in cut if word not in _IDLE] or cut
    plain = spelling.plain(" ".join(cut))
    return Query(tuple(dict.fromkeys(telling))[:_MOST_WORDS], plain, is_address=has_address)


def unasked(words: Sequence[str]) -> tuple[Meaning, ...]:
    """The words as typed, if the vocabulary need not be queried."""
    return tuple(Meaning(word, {word: 0}, uses=1) for word in words)


def known(words: Sequence[str]) -> tuple[Meaning, ...]:
    """For each word, vocabulary words with this prefix, the most common first. Makes one query."""
    found = _by_typed(part for word in words for part in _beginning(word))
    begun = [(word, _commonest(found[word])) for word in words]
    return tuple(Meaning(word, {word: 0, **dict.fromkeys(uses, 0)}, sum(uses.values())) for word, uses in begun)


def similar(meanings: Sequence[Meaning]) -> tuple[Meaning, ...]:
    """The same, widened to similar words. Unknown words may also be two words run together, or parts of one. Makes two
    queries."""
    pairs = list(pairwise(meanings))
    torn = [f"{left.typed}{right.typed}" for left, right in pairs if not (left.is_known and right.is_known)]
    near = near_words.of([meaning.typed for meaning in meanings if mistyping.edits_forgiven(meaning.typed)])
    pieces = {piece for meaning in meanings if not meaning.is_known for piece in _pieces(meaning.typed)}
    found = _by_typed(
        [
            *(part for word in torn for part in _beginning(word)),
            _with_uses(SearchWord.objects.filter(word__in=pieces), _PIECES),
        ]
    )
    wide: list[Meaning] = []
    for meaning in _joined(meanings, found):
        parts = () if meaning.is_known else _cut(meaning.typed, found[_PIECES])
        cut = [Meaning(part, {part: 0}, found[_PIECES][part]) for part in parts]
        wide += cut or [_widened(meaning, near.get(meaning.typed, {}))]
    return tuple(wide)


def _of_address(address: web_addresses.Address) -> tuple[str, ...]:
    """The words of an address that say whose it is: on hosts that many share, those around the host's own name."""
    if not address.is_shared:
        return spelling.plain_words(address.name.replace("-", ""))
    before = [word for label in address.others for word in spelling.plain_words(label.replace("-", ""))]
    return tuple(before) or spelling.plain_words(address.path) or spelling.plain_words(address.name)


def _beginning(word: str) -> Sequence[Rows]:
    rows = SearchWord.objects.filter(word__startswith=word)
    if len(word) > 2:
        return [_with_uses(rows, word)[:_MOST_MEANINGS]]
    # Thousands have this prefix. A partial index has those of several providers, the most common first.
    common = SearchWord.objects.alias(beginning=Left("word", len(word))).filter(beginning=word, uses__gt=1)
    rare = rows.filter(uses=1).values_list(Value(word), "word", "uses").order_by("word")
    return [_with_uses(common, word)[:_MOST_MEANINGS], rare[:_MOST_MEANINGS]]


def _commonest(uses: Mapping[str, int]) -> Mapping[str, int]:
    """At most so many of those with a typed word as prefix."""
    best = sorted(uses, key=uses.__getitem__, reverse=True)[:_MOST_MEANINGS]
    return {word: uses[word] for word in best}


def _with_uses(rows: QuerySet[SearchWord], typed: str) -> Rows:
    return rows.values_list(Value(typed), "word", "uses").order_by(F("uses").desc())


def _by_typed(parts: Iterable[Rows]) -> Mapping[str, dict[str, int]]:
    """The words found for each typed word, with their uses."""
    found: dict[str, dict[str, int]] = defaultdict(dict)
    first, *others = parts
    for typed, word, uses in first.union(*others, all=True) if others else first:
        found[typed][word] = uses
    return found


def _widened(meaning: Meaning, near: Mapping[str, int]) -> Meaning:
    """Add the nearest words: whole words before prefixes, and common ones before rare ones."""
    forgiven = mistyping.edits_forgiven(meaning.typed)
    ranked = []
    for word, uses in near.items():
        whole, beginning = mistyping.distances(meaning.typed, word)
        if beginning <= forgiven and word not in meaning.words:
            ranked.append((min(whole, beginning + 1), -uses, word, max(beginning, 1)))
    best = sorted(ranked)[:_MOST_SIMILAR]
    words = {**meaning.words, **{word: edits for _rank, _uses, word, edits in best}}
    return Meaning(meaning.typed, words, meaning.uses - sum(uses for _rank, uses, _word, _edits in best))


def _joined(meanings: Sequence[Meaning], found: Mapping[str, Mapping[str, int]]) -> Sequence[Meaning]:
    """Two adjacent words as one, if one of them is unknown and both together are known."""
    for place, (left, right) in enumerate(pairwise(meanings)):
        whole = f"{left.typed}{right.typed}"
        if found.get(whole) and not (left.is_known and right.is_known):
            joined = Meaning(whole, dict.fromkeys(found[whole], 0), sum(found[whole].values()))
            return (*meanings[:place], joined, *meanings[place + 2 :])
    return meanings


def _pieces(word: str) -> Iterable[str]:
    """Every substring of a word that may be a word."""
    starts = range(len(word)) if word.isalpha() else ()
    return (word[start:end] for start in starts for end in range(start + 2, min(start + _LONGEST_PART, len(word)) + 1))


def _cut(word: str, uses: Mapping[str, int]) -> tuple[str, ...]:
    """Split an unknown word into known ones, as few as possible; empty if that is impossible."""
    best: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(2, len(word) + 1):
        options = [
            (*best[start], word[start:end])
            for start in range(end - 1)
            if start in best and len(best[start]) < _MOST_PARTS and word[start:end] in uses
        ]
        if options:
            best[end] = min(options, key=lambda parts: (len(parts), -min(len(part) for part in parts)))
    return best.get(len(word), ())
