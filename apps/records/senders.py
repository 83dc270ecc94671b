"""The sender of a value: a provider, which may be read in several ways."""

from collections import Counter
from collections.abc import Collection
from typing import Final, NamedTuple


class Sender(NamedTuple):
    """A provider by name. `told` also says in which way it was read, where that is to be told apart."""

    provider: str
    told: str


NOBODY: Final = Sender("", "")


def together(senders: Collection[Sender]) -> tuple[str, ...]:
    """What to call those who sent the very same: a provider that sent it in several ways by its name alone, once."""
    ways = Counter(sender.provider for sender in senders)
    names = (sender.told if ways[sender.provider] == 1 else sender.provider for sender in senders)
    return tuple(dict.fromkeys(names))
