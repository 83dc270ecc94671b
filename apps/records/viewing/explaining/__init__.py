"""What a test, a vital sign or a health condition is, in a sentence or two of ours (patient experience 2.1): what is
measured, what that does in the body, or what happens in the body.

Never what a value means for anybody: no advice, no risk, no judgment. What needs no explanation, such as a weight, has
none; nor has a code that we do not know, or whose meaning we are not sure of.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from django.utils.functional import Promise

from apps.records.presenters import plain_names
from apps.records.presenters.entry import Entry
from apps.records.viewing.explaining import (
    blood,
    chemistry,
    conditions,
    hormones,
    others,
    sugar_and_fats,
    vital_signs,
)

_BY_NAME: Final[Mapping[str, Promise]] = MappingProxyType(
    {
        **vital_signs.SAID, **sugar_and_fats.SAID, **blood.SAID, **chemistry.SAID, **hormones.SAID, **others.SAID,
        **conditions.SAID,
    }
)  # fmt: skip


def of(entry: Entry) -> str:
    """What the test, group of tests or condition of an entry is; empty if it is something else."""
    name = None if entry.is_withheld else plain_names.of_resource(entry.resource_type, entry.codes)
    return "" if name is None else of_name(name.key)


def of_name(key: str) -> str:
    """The same, by the key of a plain name."""
    return str(_BY_NAME.get(key, ""))
