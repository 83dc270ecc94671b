"""The invented practices. One gateway of interface A serves all of them (interface facts 1.1), so several share one
pair of endpoints; those that are tenants of interface B have their own roots there (`people.tenants`).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Practice:
    """How a patient knows their practice, and which FHIR versions it offers through the gateway of interface A."""

    id: str
    name: str
    city: str
    state: str
    kind: str
    website: str
    versions: tuple[str, ...] = ("r4", "dstu2")


PRACTICES = (
    Practice(
        "willow-creek-family-medicine",
        "Willow Creek Family Medicine",
        "Springfield",
        "OR",
        "practice",
        "https://willow.example",
    ),
    Practice(
        "harbor-family-medicine", "Harbor Family Medicine", "Portland", "ME", "practice", "https://harbor.example"
    ),
    Practice(
        "harbor-childrens-clinic", "Harbor Children's Clinic", "Portland", "ME", "practice", "https://kids.example"
    ),
    Practice(
        "cedar-creek-health", "Cedar Creek Health Center", "Boise", "ID", "practice", "https://cedarcreek.example"
    ),
    Practice("lakeshore-cardiology", "Lakeshore Cardiology", "Duluth", "MN", "practice", "https://lakeshore.example"),
    Practice(
        "mesa-verde-womens-health", "Mesa Verde Women's Health", "Durango", "CO", "practice", "https://mesa.example"
    ),
    Practice(
        "bayou-general-hospital", "Bayou General Hospital", "Lafayette", "LA", "hospital", "https://bayou.example"
    ),
    Practice(
        "old-mill-orthopedics",
        "Old Mill Orthopedics",
        "Lowell",
        "MA",
        "practice",
        "https://oldmill.example",
        ("dstu2",),
    ),
    Practice(
        "riverside-university-hospital",
        "Riverside University Hospital",
        "Eugene",
        "OR",
        "hospital",
        "https://riverside.example",
        (),
    ),
    Practice(
        "prairie-rose-clinic", "Prairie Rose Clinic", "Fargo", "ND", "practice", "https://prairierose.example", ("r4",)
    ),
)
