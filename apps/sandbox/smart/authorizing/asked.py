"""A valid authorization request."""

from dataclasses import dataclass

from apps.sandbox.models import Account, Launch, Persona, SmartApplication
from apps.sandbox.smart import scopes
from apps.sandbox.smart.addresses import Place
from apps.sandbox.smart.authorizing.way_back import WayBack


@dataclass(frozen=True)
class Asked:
    """A valid request, which can be shown to a person.

    `organization` is the name of the tenant, `scopes` are those that can be granted. `aud` and `redirect_uri` are as
    they were sent, the latter empty if it was left out: `way_back` has the URL in use.
    """

    application: SmartApplication
    organization: str
    place: Place
    persona: str
    aud: str
    scopes: tuple[str, ...]
    redirect_uri: str
    way_back: WayBack
    launch: Launch | None
    code_challenge: str
    nonce: str
    prompts: frozenset[str]

    def is_open_to(self, account: Account) -> bool:
        """Whether the account is of the kind that signs in here, and sees somebody's record."""
        is_clinician = bool(account.practitioner_id)
        return is_clinician == (self.persona == Persona.PROVIDER) and bool(self.patients_of(account))

    def patients_of(self, account: Account) -> tuple[str, ...]:
        """The ids of the patients whom the account sees at this root, their own first."""
        return account.patient_ids(self.place.version, self.place.tenant)

    def choices_of(self, account: Account) -> tuple[str, ...]:
        """The patients among whom the account has to choose; empty if no scope depends on it, or a launch says who."""
        if (self.launch is not None and self.launch.patient_id) or self.persona != Persona.PATIENT:
            return ()
        depends = "launch/patient" in self.scopes or bool(scopes.readable(self.scopes, "patient"))
        return self.patients_of(account) if depends else ()
