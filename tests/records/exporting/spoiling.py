"""Resources as a careless server would send them: real ones, some parts of which are replaced by what does not belong
there. The same seed spoils them in the same way."""

import copy
import random
from collections.abc import Sequence
from typing import Any

Resource = dict[str, Any]

_ODD: Sequence[Any] = (
    None, "", " ", "x", "  two  words ", "2019", "2019-13-45", "2019-03-04T10:00", "2019-03-04T10:00:00+99:00",
    "9999-12-31T23:59:59Z", "a\x0bb\ufffec", "urn:oid:x y", "SNOMED", "http://a b", True, False, 0, -1, 1e300, 10**40,
    [], {}, [None], {"text": "Canary"}, {"coding": [{"code": " spaced  code "}]},
    {"coding": [{"system": "LN", "code": "1"}]},
    {"value": "5.10", "comparator": "~", "code": "m g"}, {"start": "2020", "end": "2019"}, {"reference": "#none"},
    {"low": {"value": 9}, "high": {"value": 1}}, {"extension": [{"url": "x", "valueCode": "masked"}]},
    {"numerator": {"value": 1}}, "entered-in-error", "active", "completed", "<b>&</b>",
)  # fmt: skip
_CHANGES = 3


def spoiled(resource: Resource, chance: random.Random) -> Resource:
    """One like it, of the same type and id, with some parts odd, doubled, unlisted or away."""
    found: Resource = copy.deepcopy(resource)
    for _time in range(chance.randint(1, _CHANGES)):
        holder, key = chance.choice(_places(found))
        how = chance.randrange(5)
        if how == 0:
            del holder[key]
        elif how == 1:
            holder[key] = [holder[key], holder[key]]
        elif how == 2 and isinstance(holder[key], list) and holder[key]:
            holder[key] = holder[key][0]
        else:
            holder[key] = copy.deepcopy(chance.choice(_ODD))
    return found


def _places(resource: Resource) -> list[tuple[Any, Any]]:
    """Where anything stands: what holds it, and under which name or number."""
    found: list[tuple[Any, Any]] = []
    waiting: list[Any] = [resource]
    while waiting:
        holder = waiting.pop()
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        for key in keys:
            if holder is not resource or key not in {"resourceType", "id"}:
                found.append((holder, key))
            if isinstance(holder[key], dict | list):
                waiting.append(holder[key])
    return found or [(resource, "text")]
