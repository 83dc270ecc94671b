"""Make what a page shows of a record, and once more where a shelf was built anew while it was read."""

from collections.abc import Callable
from typing import Final, TypeVar

from apps.records.shelving.reading import Outdated
from apps.records.viewing.opening.whole import Whole
from apps.vault.errors import VaultError

_T = TypeVar("_T")
_TRIES: Final = 2  # a shelf that is built anew while it is read is there a moment later


def tried(record: Whole, make: Callable[[Whole], _T]) -> _T | None:
    """None where it does not open just now."""
    for _try in range(_TRIES):
        try:
            return make(record)
        except Outdated:
            record = record.read_again()
        except VaultError:
            return None
    return None
