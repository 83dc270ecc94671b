"""The sender of a value: a provider whose record may be read in several ways."""

from collections import Counter
from collections.abc import Collection
from typing import Final, NamedTuple


class Sender(NamedTuple):
    """A provider's name. `told` also says in which way its record was read, if there are several."""

    provider: str
    told: str


NOBODY: Final = Sender("", "")


def together(senders: Collection[Sender]) -> tuple[str, ...]:
    """What to call those who sent the same: a provider that sent it in several ways is named once, by its name
    alone."""
    ways = Counter(sender.provider for sender in senders)
    names = (sender.told if ways[sender.provider] == 1 else sender.provider for sender in senders)
    return tuple(dict.fromkeys(names))
