"""Invented results for charts."""

from decimal import Decimal

from apps.records.charts import points, series
from apps.records.charts.series import Observed, SeriesValue
from apps.records.presenters.entry import Context
from apps.records.presenters.observations import results
from apps.records.senders import NOBODY, Sender

LOINC = "http://loinc.org"


def result(value, at, *, unit="%", wanted="4.0-5.6", provider="Tarn Hospital", way="", comparator="", **more):
    """A result of one test, as a provider sends it."""
    quantity = {"value": Decimal(str(value)), "unit": unit}
    resource = {
        "resourceType": "Observation",
        "id": f"{at}-{value}",
        "status": "final",
        "code": {"coding": [{"system": LOINC, "code": "4548-4"}], "text": "HbA1c"},
        "effectiveDateTime": at,
        "valueQuantity": {**quantity, "comparator": comparator} if comparator else quantity,
        "referenceRange": [{"text": wanted}] if wanted else [],
        **more,
    }
    return Observed(results.present(resource, Context()), sender(provider, way))


def series_of(observed):
    """The series of these, as of what shelves hold of them."""
    return series.of(map(_told, observed))


def _told(observed):
    """An entry as a leaf of points tells it."""
    senders = () if observed.sender == NOBODY else (observed.sender,)
    return SeriesValue(*points.of(observed.entry), b"", lambda _alike, _rest: observed.entry, senders)


def sender(provider, way=""):
    """A provider, which may be read in several ways."""
    return Sender(provider, f"{provider} ({way})" if way else provider)


def worded(words, at, provider="Tarn Hospital"):
    """A result of that test in words."""
    return result(0, at, provider=provider, valueQuantity=None, valueString=words)


def pressure(upper, lower, at, provider="Tarn Hospital", way=""):
    """A blood pressure."""
    parts = [
        {"code": {"coding": [{"system": LOINC, "code": code}]}, "valueQuantity": {"value": value, "unit": "mmHg"}}
        for code, value in (("8480-6", upper), ("8462-4", lower))
        if value is not None
    ]
    resource = {"code": {"coding": [{"system": LOINC, "code": "85354-9"}]}, "effectiveDateTime": at, "component": parts}
    content = {"resourceType": "Observation", "status": "final", **resource}
    return Observed(results.present(content, Context()), sender(provider, way))
