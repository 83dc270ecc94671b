"""Thousands of invented providers that look like those of real lists, among them those that tests look for."""

import itertools
from collections.abc import Iterable
from typing import Any

from apps.directory.models import Endpoint, Provider, ProviderPortal
from apps.directory.searching import vocabulary
from apps.directory.words import spelling
from tests.directory.smart_deployment import AT

_NAMES = (
    "Riverside", "Springfield", "Harbor", "Mercy", "Green Valley", "Oak Hill", "Lakeview", "Saint Anne", "Summit",
    "Tidewater", "Northside", "Good Shepherd", "Cedar Creek", "Pine Ridge", "Valley View", "Sacred Heart", "Prairie",
    "University", "Community", "Regional", "St. Luke's", "Mount Carmel", "Bayside", "Eastgate", "Capitol",
)  # fmt: skip
_KINDS = (
    "Family Practice", "Medical Center", "Pediatrics", "Hospital", "Cardiology", "Women's Health", "Clinic",
    "Orthopedics", "Eye Center", "Medical Group", "Health System", "Dermatology, P.C.", "Physicians",
)  # fmt: skip
_PLACES = (
    ("Portland", "OR", "97201"), ("Portland", "ME", "04101"), ("Austin", "TX", "73301"), ("Duluth", "MN", "55801"),
    ("Albany", "New York", "12201"), ("Tucson", "AZ", "85701"), ("Macon", "GA", "31201"), ("Salem", "OR", "97301"),
    ("Columbus", "Ohio", "43085"), ("Kansas City", "MO", "64101"),
)  # fmt: skip
_SURNAMES = ("Alvarez", "Becker", "Castellano", "Dunmore", "Eriksen", "Fairbanks", "Gutierrez", "Hollis", "Ivanov")
_FIRST_NAMES = ("Anna", "Boris", "Carmen", "Daniel", "Edith", "Frank", "Grace", "Hugo", "Iris", "John")

WANTED: tuple[dict[str, Any], ...] = (
    {"name": "Quillfeather Clinic", "city": "Duluth", "state": "MN"},
    {"name": "Saint Brendan's Hospital", "city": "Macon", "state": "GA"},
    {"name": "University of Marrowdale Health Care", "city": "Marrowdale", "state": "Iowa"},
    {"name": "Osten & Vole Physicians, LLC", "city": "Austin", "state": "TX"},
    {"name": "Clínica Peñasco", "city": "Peñasco", "state": "NM"},
    {"name": "Tidewater Cardiology", "city": "Tarrytown", "state": "NY", "postal_code": "10591"},
    {"name": "Anamosa Valley Clinic", "city": "Anamosa", "state": "IA", "postal_code": "52205-1234"},
    {"name": "Lakeshore Moor Health", "website": "https://www.lakeshoremoor.org/welcome"},
    {"name": "HealthBridge Partners", "city": "Albany", "state": "NY"},
    {"name": "Fern Hollow Pediatrics", "city": "Salem", "state": "OR"},
    {"name": "Kestrel Eye Center", "city": "Tucson", "state": "AZ"},
    {"name": "Amara Okonkwo, MD", "city": "Columbus", "state": "OH"},
    {"name": "O'Hara Skin & Vein", "city": "Salem", "state": "OR"},
    {"name": "Green Vale Medical Center", "aliases": ["GVMC", "Old Infirmary"], "city": "Macon", "state": "GA"},
    {"name": "Mount Arbel Hospital", "city": "Arbel", "state": "WV"},
    {"name": "1st Street Family Medicine", "city": "Kansas City", "state": "MO"},
    {"name": "Grimsby Orthopaedic Surgeons", "city": "Grimsby", "state": "CT"},
    {"name": "The Wexcombe Clinic", "city": "Wexcombe", "state": "VT"},
    {"name": "Harborview Wellness", "city": "Portland", "state": "ME"},
    {"name": "Zelda Ångström-Ruiz, D.P.M.", "city": "Duluth", "state": "MN"},
)

QUERIES = (
    ("quillfeather clinic", "Quillfeather Clinic"),
    ("quilfeather clinic", "Quillfeather Clinic"),
    ("quillfaether", "Quillfeather Clinic"),
    ("Quillfether Clnic", "Quillfeather Clinic"),
    ("clinic quillf", "Quillfeather Clinic"),
    ("st brendans hospital", "Saint Brendan's Hospital"),
    ("St. Brendan\u2019s", "Saint Brendan's Hospital"),
    ("saint brendn", "Saint Brendan's Hospital"),
    ("univ of marrowdale", "University of Marrowdale Health Care"),
    ("universty marowdale", "University of Marrowdale Health Care"),
    ("marrowdale iowa", "University of Marrowdale Health Care"),
    ("osten and vole", "Osten & Vole Physicians, LLC"),
    ("Osten & Vole", "Osten & Vole Physicians, LLC"),
    ("clinica penasco", "Clínica Peñasco"),
    ("PEÑASCO", "Clínica Peñasco"),
    ("tidewater tarrytown", "Tidewater Cardiology"),
    ("tidewater cardiology tarrytown new york", "Tidewater Cardiology"),
    ("10591 tidewater", "Tidewater Cardiology"),
    ("52205", "Anamosa Valley Clinic"),
    ("anamosa ia", "Anamosa Valley Clinic"),
    ("lakeshoremoor.org", "Lakeshore Moor Health"),
    ("https://mychart.lakeshoremoor.org/MyChart/Authentication/Login?mode=stdfile&x=%20", "Lakeshore Moor Health"),
    ("my lakeshore", "Lakeshore Moor Health"),
    ("portal.moorhealth.example/login", "Lakeshore Moor Health"),
    ("health bridge", "HealthBridge Partners"),
    ("healthbridge part", "HealthBridge Partners"),
    ("fernhollow pediatrics", "Fern Hollow Pediatrics"),
    ("fern holow peds", "Fern Hollow Pediatrics"),
    ("kestr", "Kestrel Eye Center"),
    ("kestrel eye ctr tucson", "Kestrel Eye Center"),
    ("dr okonkwo", "Amara Okonkwo, MD"),
    ("okonkwo amara", "Amara Okonkwo, MD"),
    ("ohara skin", "O'Hara Skin & Vein"),
    ("o hara vein", "O'Hara Skin & Vein"),
    ("gvmc", "Green Vale Medical Center"),
    ("mt arbel", "Mount Arbel Hospital"),
    ("first street family", "1st Street Family Medicine"),
    ("grimsby orthopedic", "Grimsby Orthopaedic Surgeons"),
    ("wexcombe clinic", "The Wexcombe Clinic"),
    ("harbor view wellness", "Harborview Wellness"),
    ("angstrom ruiz dpm", "Zelda Ångström-Ruiz, D.P.M."),
    ("quillfeather clinic minnesota zzyzx", "Quillfeather Clinic"),
)


def store(rows: Iterable[dict[str, Any]], *, directory: str = "invented") -> None:
    """As an import would leave them, but at once."""
    Provider.objects.bulk_create(
        Provider(
            directory=directory,
            directory_id=str(number),
            imported_at=AT,
            plain_name=spelling.plain(row["name"])[:200],
            words=spelling.provider_words(**row),
            **row,
        )
        for number, row in enumerate(rows)
    )
    vocabulary.learn_missing()


def crowd() -> Iterable[dict[str, Any]]:
    """Some three thousand others."""
    for name, kind, place in itertools.product(_NAMES, _KINDS, _PLACES):
        yield {"name": f"{name} {kind}", **_at(place)}
    for first, last, place in itertools.product(_FIRST_NAMES, _SURNAMES, _PLACES[:3]):
        yield {"name": f"{first} {last}, MD", **_at(place)}


def fill() -> None:
    """All of them, and the portal of one."""
    store([*crowd(), *WANTED])
    endpoint = Endpoint.objects.create(
        fhir_base_url="https://fhir.moorhealth.example/r4", fhir_version="r4", interface="smart", dialect="smart",
        imported_at=AT,
    )  # fmt: skip
    moor = Provider.objects.get(name="Lakeshore Moor Health")
    ProviderPortal.objects.create(
        provider=moor, endpoint=endpoint, name="MyLakeshore", url="https://portal.moorhealth.example/login"
    )


def _at(place: tuple[str, str, str]) -> dict[str, Any]:
    return dict(zip(("city", "state", "postal_code"), place, strict=True))
