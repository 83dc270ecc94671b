"""Time zones as people choose them: a few by their names in the United States, all others by continent and city.

A zone is stored by its name in the tz database; an empty name is UTC.
"""

import unicodedata
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from zoneinfo import TZPATH, ZoneInfo, available_timezones

from django.utils import formats
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from apps.accounts.models import User

_UNITED_STATES: tuple[tuple[str, Promise], ...] = (
    ("America/New_York", gettext_lazy("Eastern: New York, Miami, Atlanta")),
    ("America/Chicago", gettext_lazy("Central: Chicago, Houston, New Orleans")),
    ("America/Denver", gettext_lazy("Mountain: Denver, Salt Lake City")),
    ("America/Phoenix", gettext_lazy("Arizona: Phoenix, Tucson")),
    ("America/Los_Angeles", gettext_lazy("Pacific: Los Angeles, Seattle")),
    ("America/Anchorage", gettext_lazy("Alaska: Anchorage")),
    ("Pacific/Honolulu", gettext_lazy("Hawaii: Honolulu")),
    ("America/Puerto_Rico", gettext_lazy("Puerto Rico, U.S. Virgin Islands")),
    ("Pacific/Guam", gettext_lazy("Guam, Northern Mariana Islands")),
    ("Pacific/Pago_Pago", gettext_lazy("American Samoa")),
)
_CONTINENTS: dict[str, Promise] = {
    "Africa": pgettext_lazy("time zone", "Africa"),
    "America": pgettext_lazy("time zone", "America"),
    "Asia": pgettext_lazy("time zone", "Asia"),
    "Atlantic": pgettext_lazy("time zone", "Atlantic"),
    "Australia": pgettext_lazy("time zone", "Australia"),
    "Europe": pgettext_lazy("time zone", "Europe"),
    "Indian": pgettext_lazy("time zone", "Indian"),
    "Pacific": pgettext_lazy("time zone", "Pacific"),
}
# Places where people speak Spanish, or in the United States: they look for the name that they use themselves.
_PLACES: dict[str, Promise] = {
    "Asuncion": gettext_lazy("Asuncion"),
    "Bahia Banderas": gettext_lazy("Bahia Banderas"),
    "Bogota": gettext_lazy("Bogota"),
    "Canary": gettext_lazy("Canary"),
    "Cancun": gettext_lazy("Cancun"),
    "Ciudad Juarez": gettext_lazy("Ciudad Juarez"),
    "Cordoba": gettext_lazy("Cordoba"),
    "Easter": gettext_lazy("Easter"),
    "Galapagos": gettext_lazy("Galapagos"),
    "Havana": gettext_lazy("Havana"),
    "Mazatlan": gettext_lazy("Mazatlan"),
    "Merida": gettext_lazy("Merida"),
    "Mexico City": gettext_lazy("Mexico City"),
    "North Dakota": gettext_lazy("North Dakota"),
    "Panama": gettext_lazy("Panama"),
    "Rio Gallegos": gettext_lazy("Rio Gallegos"),
    "Tucuman": gettext_lazy("Tucuman"),
}

Choices = Sequence[tuple[str, Sequence[tuple[str, str]]]]


def of(user: User) -> tzinfo:
    """The zone in which this person reads times. A zone that the tz database no longer has counts as UTC."""
    return ZoneInfo(user.time_zone) if user.time_zone in _known() else UTC


def is_known(name: str) -> bool:
    """Whether it names a zone by a place. Old names count, since some browsers use them: Asia/Calcutta."""
    return name in _known()


def short_name(local: datetime) -> str:
    """The abbreviation of a moment's zone, such as UTC or MDT, also for the hour that occurs twice, for which Django's
    formats have none. Many zones have only an offset in the tz database, such as +14 or +0545: UTC+14, UTC+5:45."""
    name = local.tzname() or ""
    if name[:1] not in {"+", "-"}:
        return name
    sign, hours, minutes = name[0], int(name[1:3]), name[3:5]
    return f"UTC{sign}{hours}" + (f":{minutes}" if minutes not in {"", "00"} else "")


def clock(local: datetime) -> str:
    """The time of day of a moment with its zone: 9:40 a.m. UTC. No line breaks within it."""
    said = f"{formats.date_format(local, 'TIME_FORMAT')} {short_name(local)}"
    return said.replace(" ", "\N{NO-BREAK SPACE}")


def choices(kept: str = "") -> Choices:
    """Groups of (name, words) for a select, UTC first. `kept` is the name chosen before; it stays in the list even if
    it is an old one."""
    common = {name for name, _words in _UNITED_STATES}
    named = _listed() | ({kept} & _known())
    others = sorted(((name, _in_words(name)) for name in named - common), key=lambda zone: _sorted_by(zone[1]))
    return (
        (_("Without a place"), (("", _("UTC, the same everywhere")),)),
        (_("United States"), tuple((name, str(words)) for name, words in _UNITED_STATES)),
        (_("Elsewhere"), tuple(others)),
    )


def _in_words(name: str) -> str:
    """Europe, Madrid: a name of the tz database, in the reader's language as far as we have a translation."""
    parts = name.replace("_", " ").split("/")
    return ", ".join(str(_CONTINENTS.get(part) or _PLACES.get(part) or part) for part in parts)


def _sorted_by(words: str) -> bytes:
    """Ignores accents: África comes before América, where every reader looks for it."""
    return unicodedata.normalize("NFD", words).encode("ascii", "ignore")


@cache
def _listed() -> frozenset[str]:
    """The zones that the tz database lists by country, where each place occurs once: Kyiv, and not Kiev as well. All
    zones, if that list is missing."""
    lists = (Path(folder, "zone.tab") for folder in TZPATH)
    lines = next((found.read_text(encoding="utf-8").splitlines() for found in lists if found.is_file()), [])
    return frozenset(line.split("\t")[2] for line in lines if not line.startswith("#")) & _known() or _known()


@cache
def _known() -> frozenset[str]:
    """The zones named after a place. The other names of the tz database are old names and fixed offsets."""
    return frozenset(name for name in available_timezones() if name.split("/")[0] in _CONTINENTS)
