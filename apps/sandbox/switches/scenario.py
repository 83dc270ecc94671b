"""The definition of a scenario: several switches and faults under one name."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from apps.sandbox.faults import Fault


@dataclass(frozen=True)
class Scenario:
    """`switches` are set and `faults` armed when it is played; `explains` is what the start page says."""

    explains: str
    switches: Mapping[str, str] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
