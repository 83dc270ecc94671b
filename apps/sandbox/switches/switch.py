"""The definition of a switch."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Switch:
    """One way in which the sandbox can differ: the values, the default, and what it does in words."""

    values: tuple[str, ...]
    default: str
    explains: str

    def __post_init__(self) -> None:
        if self.default not in self.values:
            raise ValueError("a switch's default is one of its values")
