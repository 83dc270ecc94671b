"""What staff read about one result of a trial: what happened, whose turn it is, and what to do.

Staff need not know codes: none is shown without a sentence. Texts of failures are in `failures`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from apps.connections.trials.failures import FAILURES, FAILURES_OF_A_STEP, UNKNOWN
from apps.connections.trials.findings import FINDINGS
from apps.connections.trials.results import PUBLISHED, Note, Result, Step, Verdict
from apps.connections.trials.turns import Turn
from apps.directory.linkability import Obstacle
from apps.directory.models import EndpointCheck
from apps.wire.errors import Code, IdentityFault

Finding = EndpointCheck.Finding

Text = str | Promise


@dataclass(frozen=True)
class Told:
    """Ready to show. `turn` and `advice` are empty if there is nothing to do."""

    sentence: str
    turn: str = ""
    advice: str = ""


# By step and code; `{names}` are the result's names.
SENTENCES: Mapping[tuple[Step, str], Text] = {
    (Step.DISCOVERY, Note.IN_ORDER): _("Their server says where patients sign in."),
    (Step.DISCOVERY, Note.CONFIGURED): _("The addresses are those in our directory, from staff or from a list."),
    (Step.ADDRESSES, Note.IN_ORDER): _("They are those we registered at, and the certificate is trusted."),
    (Step.ADDRESSES, Note.NO_CERTIFICATE): _("They are on this machine, where there is no certificate to look at."),
    (Step.DISCOVERY, Note.NOT_ASKED): _("Not asked, for the reason given below."),
    (Step.METADATA, Note.NOT_ASKED): _("Not asked, for the reason given below."),
    (Step.SIGN_IN, Note.IN_ORDER): _("The test patient signed in there, and came back to us."),
    (Step.EXCHANGE, Note.IN_ORDER): _("Their server accepted the application, and gave a permission."),
    (Step.IDENTITY, Note.IN_ORDER): _("We received it, and it is valid."),
    (Step.IDENTITY, Note.NONE_ASKED): _("We do not ask for one here."),
    (Step.IDENTITY, Note.NONE_CAME): _("We asked for one, and did not get it."),
    (Step.SCOPES, Note.NONE_ASKED): _(
        "This interface does not name what may be read. Only the answers show what is shared."
    ),
    (Step.SCOPES, Note.NOT_SAID): _("They did not say what was given, which means all that we asked for."),
    (Step.SCOPES, Note.LEFT_OUT): _("Not given: {names}."),
    (Step.REFRESH, Note.IN_ORDER): _("The permission was renewed."),
    (Step.REFRESH, Note.NONE_ASKED): _("We do not ask for a way to renew here."),
    (Step.REFRESH, Note.NONE_CAME): _("We got no way to renew the permission."),
    (Step.DATA, Note.IN_ORDER): _("One kind of data was read, and thrown away."),
    (Step.DATA, Note.NOTHING_GRANTED): _("We were given nothing that could be read."),
    (Step.REVOCATION, Note.IN_ORDER): _("Their server ended the permission. Nothing of it is kept here."),
    (Step.REVOCATION, Note.NOT_OFFERED): _("They offer no way to end it. It is forgotten here, and expires there."),
    (Step.REVOCATION, Note.TOLD_LATER): _(
        "It is forgotten here. They have not confirmed yet; we keep telling them for a day."
    ),
}

_ADVICE: Mapping[tuple[Step, str], tuple[Turn, Text]] = {
    (Step.IDENTITY, Note.NONE_CAME): (
        Turn.STAFF,
        _("Patients can be linked without it. Ask whether the application may use openid and fhirUser."),
    ),
    (Step.SCOPES, Note.LEFT_OUT): (
        Turn.STAFF,
        _(
            "If the test patient allowed everything, compare the scopes of the application there with those to copy "
            "here."
        ),
    ),
    (Step.REFRESH, Note.NONE_CAME): (
        Turn.STAFF,
        _("Patients would have to sign in again each time. Ask how the application gets a refresh token."),
    ),
    (Step.DATA, Note.NOTHING_GRANTED): (Turn.STAFF, _("Add scopes to the application there.")),
}


def tell(step: Step, result: Result) -> Told:
    """The words for one result."""
    if step in PUBLISHED and result.code in FINDINGS:
        return _found(result)
    if result.verdict is Verdict.FAILED:
        return _failed(step, result)
    turn, advice = _ADVICE.get((step, result.code), ("", ""))
    return Told(_sentence(step, result), str(turn.label) if isinstance(turn, Turn) else "", str(advice))


def _found(result: Result) -> Told:
    """Findings of an endpoint check. The first one decides whose turn it is."""
    turn, advice = FINDINGS[result.code]
    sentences = [str(Finding(name).label) for name in result.names]
    return Told(" ".join(sentences), str(turn.label), str(advice))


def _sentence(step: Step, result: Result) -> str:
    count = result.count or 0
    if step is Step.METADATA:
        words = ngettext(
            "It answers, and speaks this FHIR version. It offers %(count)d kind of data.",
            "It answers, and speaks this FHIR version. It offers %(count)d kinds of data.",
            count,
        )
        return words % {"count": count}
    if step is Step.PERSON:
        return ngettext("%(count)d person was found.", "%(count)d people were found.", count) % {"count": count}
    if step is Step.SCOPES and result.code == Note.IN_ORDER:
        words = ngettext(
            "All that we asked for was given: %(count)d kind of data.",
            "All that we asked for was given: %(count)d kinds of data.",
            count,
        )
        return words % {"count": count}
    if step is Step.REFRESH and result.code == Note.TOO_SOON:
        words = ngettext(
            "They allow it only after %(count)d second, so we did not try.",
            "They allow it only after %(count)d seconds, so we did not try.",
            count,
        )
        return words % {"count": count}
    return str(SENTENCES[step, result.code]).format(names=", ".join(result.names))


def _failed(step: Step, result: Result) -> Told:
    if result.code in set(Obstacle):
        return Told(str(Obstacle(result.code).label), str(Turn.STAFF.label))
    is_fault = step is Step.IDENTITY and result.code in set(IdentityFault)
    code = Code.INVALID_IDENTITY.value if is_fault else result.code
    failure = FAILURES_OF_A_STEP.get((step, result.code)) or FAILURES.get(code, UNKNOWN)
    return Told(str(failure.sentence), str(failure.turn.label), str(failure.advice))
