"""One file, recognized by its content: its format and its rows."""

from collections.abc import Iterator
from itertools import count
from typing import Any, BinaryIO

from apps.directory.list_formats import bundles, elements, holdfast, published, vendors
from apps.directory.list_formats.elements import OPENED, Piece
from apps.directory.list_formats.rows import NotADirectory, Row
from apps.directory.list_formats.terms import Terms
from apps.directory.list_formats.texts import on_one_line

_LONGEST_NAME = 120
_OF_VENDORS = frozenset({"endpoints", "entries", "organizations", "data", "items"})  # in small letters


class ListFile:
    """A file while it is read. `name` is what it calls itself, known before its first row. `is_nested` says whether
    each row comes with everything that belongs to it, so that nothing must wait for the end: when a row is the first of
    its element (`is_first`), all rows before it are complete."""

    def __init__(self, file: BinaryIO, terms: Terms, numbers: Iterator[int] | None = None) -> None:
        self.name = ""
        self.is_nested = False
        self.is_first = False
        self._file = file
        self._terms = terms
        self._numbers = count(1) if numbers is None else numbers
        self._format: object = None
        self._has_elements = self._has_rows = False

    def rows(self) -> Iterator[Row]:
        """Its rows, in order. Raises NotADirectory, `elements.Broken` and OSError, each at any point."""
        is_known = False
        for piece in elements.walk(self._file):
            if piece.value is OPENED:
                is_known = self._opened(piece.key) or is_known
            elif piece.number == 0:
                self._member(piece)
            else:
                self.is_first = True
                for row in self._element(piece):
                    self._has_rows = True
                    yield row
                    self.is_first = False
        if not is_known:
            raise NotADirectory("it has no list of providers or endpoints")
        if self._has_elements and not self._has_rows:
            raise NotADirectory("no row of it is an endpoint or an organization")

    def _opened(self, key: str) -> bool:
        """Whether rows follow."""
        if key == "providers":
            self.is_nested = True
            if self._format is None:
                raise NotADirectory(f'before its providers it does not say "format": "{holdfast.FORMAT}"')
        return key in ("", "entry", "providers") or key.lower() in _OF_VENDORS

    def _member(self, piece: Piece) -> None:
        """Members beside the rows that say what these are."""
        if piece.key == "format":
            self._format = piece.value
            if piece.value != holdfast.FORMAT:
                raise NotADirectory(f"its format is not {holdfast.FORMAT}")
        elif piece.key == "name" and self._format is not None:
            self._take_name(piece.value)
        elif piece.key == "resourceType" and piece.value != "Bundle":
            raise NotADirectory("it is a FHIR resource, but no Bundle")

    def _take_name(self, given: Any) -> None:
        if given is not None and not isinstance(given, str):
            raise NotADirectory("its name is not text")
        name = on_one_line(given or "")[:_LONGEST_NAME]
        if self.is_nested and name != self.name:
            raise NotADirectory("its name stands behind its providers, and must stand before them")
        self.name = name

    def _element(self, piece: Piece) -> Iterator[Row]:
        key, number, raw = piece
        if key == "providers":
            self._has_elements = True
            return holdfast.rows(raw, number, self._numbers, self._terms)
        is_of_vendors = not key or key.lower() in _OF_VENDORS
        if key != "entry" and not is_of_vendors:
            return iter(())
        self._has_elements = True
        if key == "entry" or (isinstance(raw, dict) and "resourceType" in raw):
            return bundles.rows(raw, number, self._numbers, self._terms)
        if published.is_row(raw):
            return published.rows(raw, number, self._numbers)
        return vendors.rows(raw, number, self._numbers, self._terms)
