"""The page of a trial: each step's result in words, and what can be done now."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import models
from django.utils.translation import gettext_lazy as _

from apps.connections.models import AuthorizationRequest, Trial
from apps.connections.trials import issuing, obstacles, results, signing_in, terms, words
from apps.connections.trials.results import OF_THE_LINK, PUBLISHED, Result, Step, Verdict
from apps.directory.linkability import Obstacle
from apps.directory.models import ClientRegistration, Endpoint

# The shapes of `partials/status.html`.
_SHAPES = {
    Verdict.PASSED: "done",
    Verdict.NOTICED: "needs-you",
    Verdict.FAILED: "fault",
    Verdict.SKIPPED: "off",
}


class Stage(models.TextChoices):
    """The state of a trial."""

    READY = "ready", _("Ready to sign in as a test patient")
    AWAY = "away", _("Waiting for the test patient to come back")
    FINISHING = "finishing", _("Finishing")
    LATE = "late", _("Nobody came back in time")
    CUT_SHORT = "cut_short", _("Stopped in the middle")
    RAN_OUT = "ran_out", _("Not finished")
    PASSED = "passed", _("The whole link works")
    FAILED = "failed", _("Something does not work")


STAGE_SHAPES = {
    Stage.READY: "working",
    Stage.AWAY: "working",
    Stage.FINISHING: "working",
    Stage.LATE: "needs-you",
    Stage.CUT_SHORT: "needs-you",
    Stage.RAN_OUT: "off",
    Stage.PASSED: "done",
    Stage.FAILED: "fault",
}

# Stages in which the sign-in may be begun, for the first time or again.
CAN_LEAVE = frozenset({Stage.READY, Stage.AWAY, Stage.LATE, Stage.CUT_SHORT})


@dataclass(frozen=True)
class Line:
    """One step: its name, the shape and word of its status, and what there is to say. `at` is None if it was not
    taken."""

    step: Step
    shape: str
    word: str
    sentence: str = ""
    turn: str = ""
    advice: str = ""
    at: datetime | None = None

    @property
    def title(self) -> str:
        """The step in words."""
        return str(self.step.label)


@dataclass(frozen=True)
class TrialPage:
    """Ready to show. `obstacle` says why not even staff can sign in, or is empty; `can_leave` if the sign-in is offered
    to whoever began the trial. `issuer` is one that the ID token named and that is not allowed yet, or empty."""

    trial: Trial
    stage: Stage
    published: tuple[Line, ...]
    of_the_link: tuple[Line, ...]
    obstacle: str
    can_leave: bool
    issuer: str
    is_issuer_beside_tokens: bool

    @property
    def shape(self) -> str:
        """The shape of the overall status."""
        return STAGE_SHAPES[self.stage]

    @property
    def word(self) -> str:
        """The overall status in words."""
        return str(self.stage.label)

    @property
    def failures(self) -> tuple[Line, ...]:
        """The steps that failed, in order."""
        return tuple(line for line in (*self.published, *self.of_the_link) if line.shape == _SHAPES[Verdict.FAILED])

    @property
    def remarks(self) -> tuple[Line, ...]:
        """The steps that work, but that somebody should look at."""
        return tuple(line for line in (*self.published, *self.of_the_link) if line.shape == _SHAPES[Verdict.NOTICED])


def page(trial: Trial, *, at: datetime) -> TrialPage:
    """The page as of now."""
    found = results.read(trial.results)
    stage = stage_of(trial, at=at)
    obstacle = obstacles.of(trial, at=at) if stage in CAN_LEAVE else None
    return TrialPage(
        trial=trial,
        stage=stage,
        published=tuple(_line(step, found.get(step), stage) for step in PUBLISHED),
        of_the_link=tuple(_line(step, found.get(step), stage) for step in OF_THE_LINK),
        obstacle=_because(obstacle),
        can_leave=stage in CAN_LEAVE and obstacle is None,
        issuer=issuing.to_allow(trial, at=at),
        is_issuer_beside_tokens=issuing.is_beside_tokens(trial),
    )


def stage_of(trial: Trial, *, at: datetime) -> Stage:
    """The trial's state. Makes one query if somebody left for it and it is not over."""
    if trial.ended_at is not None:
        return Stage.PASSED if passed(trial) else Stage.FAILED
    request = trial.authorization_requests.order_by("-created_at").first() if trial.left_at else None
    if request is not None and request.claimed_at is None and request.expires_at > at:
        return Stage.AWAY
    if not signing_in.is_open(trial, at=at):
        return Stage.RAN_OUT
    return Stage.READY if request is None else _of_an_answer(request, at=at)


def passed(trial: Trial) -> bool:
    """Whether the whole link was tried, and nothing in it failed."""
    found = results.read(trial.results)
    return Step.PERSON in found and all(result.verdict is not Verdict.FAILED for result in found.values())


def latest(registration: ClientRegistration) -> Trial | None:
    """The last trial of a registration, at any endpoint."""
    return Trial.objects.filter(registration=registration).order_by("-began_at").first()


@dataclass(frozen=True)
class Earlier:
    """One trial in a list, with the shape and word of its status."""

    trial: Trial
    shape: str
    word: str


def earlier(registration: ClientRegistration, *, most: int, at: datetime) -> tuple[Earlier, ...]:
    """At most so many trials of a registration, the latest first."""
    rows = Trial.objects.filter(registration=registration).select_related("endpoint", "provider")
    found = ((trial, stage_of(trial, at=at)) for trial in rows.order_by("-began_at")[:most])
    return tuple(Earlier(trial, STAGE_SHAPES[stage], str(stage.label)) for trial, stage in found)


def last_finished(registration: ClientRegistration) -> Trial | None:
    """The last finished trial among those begun with the registration's present terms."""
    finished = Trial.objects.filter(registration=registration, ended_at__isnull=False, terms=terms.of(registration))
    return finished.order_by("-ended_at").first()


def let_in(registration: ClientRegistration, endpoints: Sequence[Endpoint]) -> frozenset[UUID]:
    """Those of these endpoints at which the last trial reached somebody's record: their organization has enabled us."""
    ended = Trial.objects.filter(registration=registration, endpoint__in=endpoints, ended_at__isnull=False)
    last = ended.order_by("endpoint", "-ended_at").distinct("endpoint")
    found = last.values_list("endpoint_id", f"results__{Step.PERSON}__verdict")
    return frozenset(endpoint_id for endpoint_id, verdict in found if verdict == Verdict.PASSED)


def _of_an_answer(request: AuthorizationRequest, *, at: datetime) -> Stage:
    if request.claimed_at is None or request.outcome:
        return Stage.LATE
    return Stage.FINISHING if at < request.claimed_at + signing_in.FINISHES_WITHIN else Stage.CUT_SHORT


def _because(obstacle: Obstacle | None) -> str:
    return str(obstacle.label) if obstacle is not None else ""


def _line(step: Step, result: Result | None, stage: Stage) -> Line:
    if result is None:
        is_over = stage in {Stage.PASSED, Stage.FAILED}
        return Line(step, "off", str(Verdict.SKIPPED.label) if is_over else str(_("Not tried yet")))
    told = words.tell(step, result)
    return Line(
        step, _SHAPES[result.verdict], str(result.verdict.label), told.sentence, told.turn, told.advice, result.at
    )
