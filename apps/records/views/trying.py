"""Make what a page shows of a record, trying again if a shelf was rebuilt while it was read."""

from collections.abc import Callable
from typing import Final, TypeVar

from apps.records.shelving.reading import Outdated
from apps.records.viewing.opening.whole import Whole
from apps.vault.errors import VaultError

_T = TypeVar("_T")
_TRIES: Final = 2  # if a shelf is rebuilt while it is read, the new one is there a moment later


def tried(record: Whole, make: Callable[[Whole], _T]) -> _T | None:
    """None if it does not open at the moment."""
    for _try in range(_TRIES):
        try:
            return make(record)
        except Outdated:
            record = record.read_again()
        except VaultError:
            return None
    return None
