"""The steps of a registration in order, each with its state: done, broken, to do now, waiting for the provider, and so
on.

Each kind of interface has its own steps (interface facts, section 8). A step's `summary` says in plain words what was
done or is missing; its form and the values to copy are in `registrations`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from apps.connections.models import Trial
from apps.connections.trials import trial_page
from apps.directory import registration_overview, versions
from apps.directory.desk import form_entries
from apps.directory.models import ClientRegistration, SystemAccount
from apps.directory.registration_overview import Kind, Proof
from apps.portal.desk import registration_status

Status = ClientRegistration.Status


class Key(models.TextChoices):
    """Every step, by its name in URLs."""

    ACCOUNT = "account", gettext_lazy("Have a developer account there")
    APPLICATION = "application", gettext_lazy("Request the application")
    CHOICES = "choices", gettext_lazy("Choose what the application is")
    SYSTEM_ACCOUNT = "system-account", gettext_lazy("Get a system account")
    CLIENT_ID = "client-id", gettext_lazy("Register the application")
    CREDENTIALS = "credentials", gettext_lazy("Store the credentials they gave you")
    PROOF = "proof", gettext_lazy("Store the secret, or register our key")
    APPROVAL = "approval", gettext_lazy("Wait for their approval")
    VERSIONS = "versions", gettext_lazy("Add the FHIR versions")
    ORGANIZATIONS = "organizations", gettext_lazy("Get organizations to turn it on")
    TRY = "try", gettext_lazy("Try it")
    SWITCH = "switch", gettext_lazy("Switch it on")


class State(models.TextChoices):
    """The state of a step."""

    DONE = "done", gettext_lazy("Done")
    BROKEN = "broken", gettext_lazy("Does not work now")
    DOUBTED = "doubted", gettext_lazy("On, but the last try failed")
    HELD = "held", gettext_lazy("On, but patients cannot connect")
    NOW = "now", gettext_lazy("To do now")
    WAITS = "waits", gettext_lazy("Waiting for them")
    LATER = "later", gettext_lazy("Later")
    NOT_NEEDED = "not_needed", gettext_lazy("Not needed")


# The shape of a status (`partials/status.html`).
SHAPES = {
    State.DONE: "done",
    State.BROKEN: "fault",
    State.DOUBTED: "needs-you",
    State.HELD: "needs-you",
    State.NOW: "needs-you",
    State.WAITS: "working",
    State.LATER: "off",
    State.NOT_NEEDED: "off",
}

OF_KIND = {
    Kind.PORTAL: (
        *(Key.ACCOUNT, Key.APPLICATION, Key.CREDENTIALS, Key.APPROVAL),
        *(Key.VERSIONS, Key.TRY, Key.SWITCH),
    ),
    Kind.CONSOLE: (
        *(Key.ACCOUNT, Key.CHOICES, Key.SYSTEM_ACCOUNT, Key.CLIENT_ID, Key.PROOF, Key.APPROVAL),
        *(Key.ORGANIZATIONS, Key.TRY, Key.SWITCH),
    ),
}


@dataclass(frozen=True)
class Step:
    """One step. `is_open` if its form is shown."""

    key: Key
    state: State
    summary: str
    is_open: bool = False

    @property
    def title(self) -> str:
        """The step in words."""
        return str(self.key.label)

    @property
    def word(self) -> str:
        """Its state in words."""
        return str(self.state.label)

    @property
    def shape(self) -> str:
        """Its state as a shape."""
        return SHAPES[self.state]

    @property
    def template(self) -> str:
        """What the page shows if the step is open."""
        return f"portal/desk/steps/{self.key.value}.html"


@dataclass(frozen=True)
class Progress:
    """All steps of one registration."""

    steps: Sequence[Step]

    @property
    def is_doubted(self) -> bool:
        """Whether it is on, but failed when staff tried it last."""
        return any(step.state is State.DOUBTED for step in self.steps)

    @property
    def open_step(self) -> Step | None:
        """The step that is shown in full."""
        return next((step for step in self.steps if step.is_open), None)


def progress(registration: ClientRegistration, *, opened: str = "", at: datetime) -> Progress:
    """The steps. `opened` names the one to show in full; without it, that is the first to do or to wait for."""
    steps = _Steps(registration, at=at)
    found = [(key, *steps.of(key)) for key in OF_KIND[registration_overview.kind(registration)]]
    states = [state for _key, state, _summary in found]
    shown = opened if opened in {key.value for key, _state, _summary in found} else ""
    if not shown and registration.status not in {Status.REJECTED, Status.RETIRED}:
        first = next((state for state in (State.BROKEN, State.NOW, State.WAITS) if state in states), None)
        shown = found[states.index(first)][0].value if first is not None else ""
    return Progress([Step(key, state, summary, is_open=key.value == shown) for key, state, summary in found])


class _Steps:
    """Finds the state of each step of one registration, and looks up only once what several steps need."""

    def __init__(self, registration: ClientRegistration, *, at: datetime) -> None:
        self._row = registration
        self._at = at
        self._proof = registration_overview.proof(registration)
        self._missing_versions = registration_overview.missing_versions(registration)
        last = trial_page.last_finished(registration)
        self._has_passed = last is not None and trial_page.passed(last)
        self._has_failed = last is not None and not self._has_passed
        self._can_try = registration_overview.has_credentials(registration) and not self._lacks_versions()

    def of(self, key: Key) -> tuple[State, str]:
        """State and summary of a step."""
        return {
            Key.ACCOUNT: self._account,
            Key.APPLICATION: self._application,
            Key.CHOICES: self._choices,
            Key.SYSTEM_ACCOUNT: self._system_account,
            Key.CLIENT_ID: self._client_id,
            Key.CREDENTIALS: self._credentials,
            Key.PROOF: self._proof_step,
            Key.APPROVAL: self._approval,
            Key.VERSIONS: self._versions,
            Key.ORGANIZATIONS: self._organizations,
            Key.TRY: self._try,
            Key.SWITCH: self._switch,
        }[key]()

    def _lacks_versions(self) -> bool:
        """An application at a console is registered for one version; elsewhere one of several is enough to begin
        with."""
        return not self._row.versions_added

    def _account(self) -> tuple[State, str]:
        if self._row.developer_email:
            return State.DONE, _("Under %(email)s.") % {"email": self._row.developer_email}
        if self._row.client_id:
            return State.DONE, _(
                "There must be one, or we would have no client id. We do not know under which e-mail address."
            )
        return State.NOW, _("We do not know under which e-mail address it is.")

    def _application(self) -> tuple[State, str]:
        if self._row.application_name or self._row.client_id:
            return State.DONE, self._row.application_name or _("We do not know under which name.")
        return self._after(bool(self._row.developer_email)), _("It has not been requested yet.")

    def _choices(self) -> tuple[State, str]:
        if self._row.application_name or self._row.client_id:
            words = [self._row.application_name, str(self._proof.label), self._row.get_smart_version_display()]
            return State.DONE, " · ".join(word for word in words if word)
        return self._after(bool(self._row.developer_email)), _(
            "Some choices cannot be changed there once they are made."
        )

    def _system_account(self) -> tuple[State, str]:
        if self._proof is Proof.NONE:
            return State.NOT_NEEDED, _("A public application has none.")
        account = self._row.system_account
        if account is not None and account.status == SystemAccount.Status.APPROVED:
            return State.DONE, _("Its id is %(id)s.") % {"id": account.account_id}
        if account is not None and account.status == SystemAccount.Status.REQUESTED:
            return State.WAITS, _("Requested. They approve it by hand, which may take a few working days.")
        if self._row.client_id:
            return State.DONE, _("There must be one, or we would have no client id. Its id is not stored here.")
        return self._after(bool(self._row.application_name)), _("A confidential application needs one there.")

    def _client_id(self) -> tuple[State, str]:
        if self._row.client_id:
            return State.DONE, _("The client id is %(id)s.") % {"id": self._row.client_id}
        is_ready = self._row.application_name and self._system_account()[0] in {State.DONE, State.NOT_NEEDED}
        return self._after(bool(is_ready)), _("We have no client id.")

    def _credentials(self) -> tuple[State, str]:
        if registration_overview.has_credentials(self._row):
            return State.DONE, self._what_is_kept()
        return self._after(bool(self._row.application_name or self._row.client_id)), self._what_lacks()

    def _proof_step(self) -> tuple[State, str]:
        if self._proof is Proof.NONE:
            return State.NOT_NEEDED, _("A public application has no secret and no key.")
        if registration_overview.has_proof(self._row) and self._row.client_id:
            if form_entries.key_to_hand_over(self._row) is not None:
                return State.NOW, _("Their copy of our keys lacks the new one.")
            return State.DONE, self._what_is_kept()
        return self._after(bool(self._row.client_id)), self._what_lacks()

    def _what_is_kept(self) -> str:
        if self._proof is Proof.SECRET:
            return _("The client id is %(id)s. The secret is kept sealed.") % {"id": self._row.client_id}
        return _("The client id is %(id)s.") % {"id": self._row.client_id}

    def _what_lacks(self) -> str:
        if not self._row.client_id:
            return _("We have no client id, and no proof for it.")
        return _("We have no secret.") if self._proof is Proof.SECRET else _("We have no key.")

    def _approval(self) -> tuple[State, str]:
        if self._row.status == Status.APPROVED:
            return State.DONE, _("They approved it.")
        if self._row.status == Status.REJECTED:
            return State.DONE, _("They refused it.")
        if registration_overview.has_credentials(self._row):
            return State.WAITS, _("What we have works only once they approve it.")
        return State.LATER, ""

    def _versions(self) -> tuple[State, str]:
        added = ", ".join(version.upper() for version in self._row.versions_added)
        if self._row.versions_added and not self._missing_versions:
            return State.DONE, _("Added: %(versions)s.") % {"versions": added}
        if self._row.versions_added:
            missing = ", ".join(version.upper() for version in self._missing_versions)
            return State.NOW, _("Added: %(added)s. Not added: %(missing)s.") % {"added": added, "missing": missing}
        return self._after(bool(self._row.client_id)), _("None was added, so nothing can be linked.")

    def _organizations(self) -> tuple[State, str]:
        refusing = self._row.enablements.filter(is_enabled=False).exists()
        if refusing:
            return State.WAITS, _("At least one has not turned it on.")
        if self._has_passed:
            return State.DONE, _("The one that was tried has.")
        return (State.WAITS if self._can_try else State.LATER), _("Nobody tells us when one does: try it to find out.")

    def _try(self) -> tuple[State, str]:
        if self._row.trouble and self._can_try:
            return State.BROKEN, _("Their server refuses us now. Try it to find out why.")
        if self._has_passed:
            return State.DONE, _("The whole link worked with a test patient.")
        trial = trial_page.latest(self._row)
        words = self._of_the_last(trial)
        is_ready = self._can_try and self._row.status == Status.APPROVED
        return self._after(is_ready), words

    def _of_the_last(self, trial: Trial | None) -> str:
        if trial is None or trial.ended_at is None:
            return _("Not tried yet.")
        if trial_page.passed(trial):
            return _("What it was tried with has changed since. Try it again.")
        return _("The last try failed.")

    def _switch(self) -> tuple[State, str]:
        if self._row.is_switched_on:
            found = registration_status.of(self._row, at=self._at)
            if found.kind == "done" and self._has_failed:
                return State.DOUBTED, _("Patients may not get through either.")
            if found.kind == "done":
                return State.DONE, f"{found.word}."
            return State.HELD, found.reason or f"{found.word}."
        return self._after(self._is_open() and self._has_passed), _("Off. Patients cannot link through it.")

    def _is_open(self) -> bool:
        return self._can_try and self._row.status == Status.APPROVED

    def _after(self, is_ready: bool) -> State:  # noqa: FBT001 - read as "now, where it is ready"
        return State.NOW if is_ready else State.LATER


def version_name(version: str) -> str | Promise:
    """The name of a FHIR version for patients and staff."""
    return versions.words(version).name
