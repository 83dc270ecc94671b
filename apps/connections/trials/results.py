"""The results of a trial's steps as data: closed vocabularies, times, counts, and names of resource types."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _


class Step(models.TextChoices):
    """In order. The first three need no sign-in."""

    DISCOVERY = "discovery", _("Where patients sign in")
    METADATA = "metadata", _("What their server says about itself")
    ADDRESSES = "addresses", _("Addresses and certificate")
    SIGN_IN = "sign_in", _("Signing in, and coming back")
    EXCHANGE = "exchange", _("Getting permission for the app")
    IDENTITY = "identity", _("Proof of who signed in")
    PERSON = "person", _("Whose record it is")
    SCOPES = "scopes", _("What may be read")
    REFRESH = "refresh", _("Renewing the permission")
    DATA = "data", _("Reading something")
    REVOCATION = "revocation", _("Giving the permission back")


PUBLISHED = (Step.DISCOVERY, Step.METADATA, Step.ADDRESSES)
OF_THE_LINK = tuple(step for step in Step if step not in PUBLISHED)


class Verdict(models.TextChoices):
    """How a step ended."""

    PASSED = "passed", _("Works")
    NOTICED = "noticed", _("Look at this")
    FAILED = "failed", _("Does not work")
    SKIPPED = "skipped", _("Not tried")


class Note(models.TextChoices):
    """Codes for results that no error names. Codes of errors come from the wire (`trials.error_codes`)."""

    IN_ORDER = "in_order"
    CONFIGURED = "configured"  # interface A: staff or a list entered its addresses
    NO_CERTIFICATE = "no_certificate"  # plain http, on this machine alone
    NOT_ASKED = "not_asked"  # because of what was found before
    ELSEWHERE = "elsewhere"  # sign-in is at another origin than the one for which the registration was made
    NONE_ASKED = "none_asked"
    NOT_SAID = "not_said"
    NONE_CAME = "none_came"
    LEFT_OUT = "left_out"
    TOO_SOON = "too_soon"
    NOTHING_GRANTED = "nothing_granted"
    NO_PERSON = "no_person"
    NOT_OFFERED = "not_offered"
    TOLD_LATER = "told_later"
    DENIED_BY_PROVIDER = "denied_by_provider"
    NOT_STAFF = "not_staff"
    CANNOT_OPEN = "cannot_open"


@dataclass(frozen=True)
class Result:
    """The result of one step. `code` is of `Note`, of the wire's vocabulary, an obstacle or a check's finding; `count`
    is a number if the text needs one; `names` are further findings, resource types, scopes or an issuer, never a value
    from a record."""

    verdict: Verdict
    code: str
    at: datetime
    count: int | None = None
    names: tuple[str, ...] = ()


Results = dict[Step, Result]


def stored(results: Results) -> dict[str, Any]:
    """The results as JSON for the column."""
    return {
        step.value: {
            "verdict": result.verdict.value,
            "code": result.code,
            "at": result.at.isoformat(),
            "count": result.count,
            "names": list(result.names),
        }
        for step, result in results.items()
    }


def read(column: Mapping[str, Any]) -> Results:
    """The results from the column, in the order of the steps."""
    return {
        step: Result(
            verdict=Verdict(column[step]["verdict"]),
            code=column[step]["code"],
            at=datetime.fromisoformat(column[step]["at"]),
            count=column[step]["count"],
            names=tuple(column[step]["names"]),
        )
        for step in Step
        if step in column
    }


class Notes:
    """Collects the results of one run of steps."""

    def __init__(self, *, at: datetime) -> None:
        self.results: Results = {}
        self._at = at

    def passed(self, step: Step, code: str = Note.IN_ORDER, *, count: int | None = None) -> None:
        """It works."""
        self._write(step, Verdict.PASSED, code, count=count)

    def noticed(self, step: Step, code: str, *, names: Iterable[str] = (), count: int | None = None) -> None:
        """It works, and somebody should look at it."""
        self._write(step, Verdict.NOTICED, code, names=names, count=count)

    def failed(self, step: Step, code: str, *, names: Iterable[str] = ()) -> None:
        """It does not work."""
        self._write(step, Verdict.FAILED, code, names=names)

    def skipped(self, step: Step, code: str, *, count: int | None = None) -> None:
        """It was not tried, for a reason that is nobody's fault."""
        self._write(step, Verdict.SKIPPED, code, count=count)

    def _write(
        self, step: Step, verdict: Verdict, code: str, *, names: Iterable[str] = (), count: int | None = None
    ) -> None:
        self.results[step] = Result(verdict, str(code), self._at, count, tuple(names))
