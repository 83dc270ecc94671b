"""Which words of a web address name an organization: "www.harbor-family.org" gives harbor, family and harborfamily."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

_ENDINGS = frozenset(
    "com org net edu gov mil us info biz health care clinic hospital io co app med ca uk".split()  # noqa: SIM905
)
_BEFORE_A_COUNTRY = frozenset({"co", "com", "org", "net", "gov", "edu", "ac"})
# Host labels that describe a use, and nobody in particular.
_USES = frozenset(
    "www www2 www3 my mychart mychartplus portal portals patient patients patientportal secure login signin sso auth "  # noqa: SIM905
    "oauth2 fhir fhir2 api api2 ehr emr epicproxy epicmobile app apps web m".split()
)
# Companies that host portals of many organizations: their name does not say whose it is.
_PLATFORMS = frozenset(
    "mychart epic epichosted cerner healtheintent iqhealth athenahealth nextgen nextmd eclinicalworks healow "  # noqa: SIM905
    "allscripts followmyhealth veradigm greenwayhealth meditech medfusion elationhealth practicefusion".split()
)
_ADDRESS = re.compile(r"(?:https?://)?[\w.-]+\.[a-z]{2,}(?::\d+)?(?:[/?#]\S*)?", re.IGNORECASE)


@dataclass(frozen=True)
class Address:
    """The significant labels of a host, the most significant first: `name` is what an organization registered."""

    name: str
    others: tuple[str, ...]
    path: str

    @property
    def is_shared(self) -> bool:
        """Whether many organizations have their portals under this name."""
        return self.name in _PLATFORMS


def read(text: str) -> Address | None:
    """The parts of what looks like a web address; None for other text. Never raises."""
    given = text.strip().casefold()
    if not _ADDRESS.fullmatch(given):
        return None
    try:
        parts = urlsplit(given if "://" in given else f"//{given}")
        labels = (parts.hostname or "").strip(".").split(".")
    except ValueError:
        return None
    has_more = "://" in given or parts.path.strip("/") != ""
    if labels[-1] not in _ENDINGS and not has_more:
        return None
    return _parsed(labels, parts.path)


def words(url: str) -> tuple[str, ...]:
    """The words to store for a known address: its significant labels, whole and in parts."""
    address = read(url)
    if address is None:
        return ()
    return tuple(part for label in (address.name, *address.others) for part in _spellings(label))


def _parsed(labels: list[str], path: str) -> Address:
    if len(labels) > 1:
        ending = labels.pop()
        if len(labels) > 1 and len(ending) == 2 and labels[-1] in _BEFORE_A_COUNTRY:
            labels.pop()
    *before, name = labels
    others = tuple(label for label in reversed(before) if label not in _USES)
    return Address(name, others, path)


def _spellings(label: str) -> tuple[str, ...]:
    parts = [part for part in re.split(r"[-_]", label) if part]
    return ("".join(parts), *parts) if len(parts) > 1 else tuple(parts)
