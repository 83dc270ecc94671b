"""What staff read about a step that failed: what happened, whose turn it is, what to do.

Found by step and code if the code's meaning depends on the step, otherwise by code. Every code that a trial can store
has a row, which a test proves.
"""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from apps.connections.trials.results import Note, Step
from apps.connections.trials.turns import Failure, Turn
from apps.wire.errors import IdentityFault

_CLIENT = Failure(
    _("Their server does not know our client id, or does not accept our proof for it."),
    Turn.STAFF,
    _(
        "Compare the client id with the one they show, and store the secret again. Until they approve the "
        "application, this is what they answer: then it is their turn."
    ),
)
_NOT_ENABLED = Failure(
    _("The organization has not turned this application on."),
    Turn.PROVIDER,
    _(
        "Only its own staff can. Ask them, then try again. Once they have done it, it can take 15 minutes to take "
        "effect."
    ),
)
_NOT_NOW = Failure(
    _("Their server did not answer, or says it cannot right now."), Turn.WAIT, _("Try again in a few minutes.")
)
_UNREADABLE = Failure(
    _("Their server answered something that we could not read, such as a web page."),
    Turn.PROVIDER,
    _("Compare the addresses with those they publish. If they are right, tell the provider's support."),
)
_REFUSED = Failure(
    _("Their server did not accept the form of our request."),
    Turn.US,
    _("Compare the FHIR version, the scopes and the redirect URI first: a wrong one is answered like this too."),
)
_WRONG_PLACE = Failure(
    _("The address does not lead where it should."),
    Turn.STAFF,
    _("Compare the addresses with those they publish."),
)
_PROOF = Failure(
    _("The proof of who signed in does not hold, so we believe nothing that came with it."),
    Turn.STAFF,
    _("In the admin, compare the issuers its ID tokens may name. If they are right, tell the provider's support."),
)

FAILURES: Mapping[str, Failure] = {
    "invalid_client": _CLIENT,
    "unsupported_authentication": Failure(
        _("We have no proof of the kind that this registration names: no secret, or no key."),
        Turn.STAFF,
        _("Store the secret, or choose the signing key."),
    ),
    "unauthorized_client": _NOT_ENABLED,
    "unsupported_grant_type": _CLIENT,
    "unsupported_response_type": _REFUSED,
    "invalid_request": _REFUSED,
    "invalid_scope": Failure(
        _("Their server does not accept the scopes we ask for."),
        Turn.STAFF,
        _("Compare the scopes of the application there with those to copy here, and the SMART version with its own."),
    ),
    "invalid_target": Failure(
        _("Their server does not serve the FHIR address that we named."),
        Turn.STAFF,
        _("Compare the FHIR address of this endpoint with the one they publish, letter by letter."),
    ),
    "invalid_grant": Failure(
        _("Their server did not accept the code it had given."),
        Turn.STAFF,
        _(
            "Compare the redirect URI there with the one to copy here, letter by letter. Then try again, without "
            "pausing on the way."
        ),
    ),
    "access_denied": Failure(
        _("Somebody said no on the provider's page, or closed it."),
        Turn.STAFF,
        _("Try again, and allow everything as the test patient."),
    ),
    "invalid_token": Failure(
        _("Their FHIR server does not accept the permission that their sign-in server gave."),
        Turn.PROVIDER,
        _("Compare the FHIR address first. If it is right, tell the provider's support."),
    ),
    "insufficient_scope": Failure(
        _("The permission does not cover what we asked for with it."),
        Turn.STAFF,
        _("Compare the scopes of the application there with those to copy here."),
    ),
    "not_shared": Failure(
        _("This was not shared, or may not be read."),
        Turn.STAFF,
        _("Try again and allow everything. If that does not help, compare the scopes of the application there."),
    ),
    "not_found": Failure(
        _("Their FHIR server has nothing at this address."),
        Turn.STAFF,
        _("Compare the FHIR address of this endpoint with the one they publish."),
    ),
    "server_error": _NOT_NOW,
    "temporarily_unavailable": _NOT_NOW,
    "throttled": Failure(_("Their server asks us to slow down."), Turn.WAIT, _("Try again in a few minutes.")),
    "unavailable": _NOT_NOW,
    "timed_out": _NOT_NOW,
    "unreachable": Failure(
        _("Nothing answers at this address."),
        Turn.WAIT,
        _("Try again later. If that does not help, compare the address with the one they publish."),
    ),
    "untrusted_certificate": Failure(
        _("The certificate of their server is not one we trust: it has expired, or is for another name."),
        Turn.PROVIDER,
        _("Tell the provider's support. Nothing of ours is sent there until it is fixed."),
    ),
    "redirected": _WRONG_PLACE,
    "wrong_address": _WRONG_PLACE,
    "unsafe_address": Failure(
        _("One of the addresses is not one that we connect to."),
        Turn.STAFF,
        _("It must be https and public, and any port other than 443 has to be approved in the admin."),
    ),
    "foreign_address": Failure(
        _("It names a different sign-in server than before, on another host. We do not follow it there."),
        Turn.STAFF,
        _("Ask the organization. In the admin, the endpoint shows the disagreement."),
    ),
    "too_large": _UNREADABLE,
    "unreadable": _UNREADABLE,
    "wrong_resource": _UNREADABLE,
    "malformed_response": _UNREADABLE,
    "no_metadata": _UNREADABLE,
    "no_smart_configuration": _WRONG_PLACE,
    "unknown_version": _UNREADABLE,
    "unsupported_token_type": _UNREADABLE,
    "no_keys": Failure(
        _("We could not get the keys with which they sign proofs."),
        Turn.WAIT,
        _("Try again later. If that does not help, tell the provider's support."),
    ),
    "invalid_identity": _PROOF,
    "wrong_issuer": Failure(
        _("The answer came from a different server than the one we had asked."),
        Turn.STAFF,
        _("In the admin, compare the issuer of the authorization server. Nothing was sent to whoever answered."),
    ),
    "login_required": _NOT_NOW,
    "consent_required": _NOT_NOW,
    "interaction_required": _NOT_NOW,
    "account_selection_required": _NOT_NOW,
    Note.ELSEWHERE: Failure(
        _("Patients of this endpoint sign in on a different host than the one we registered at."),
        Turn.STAFF,
        _("It needs a registration of its own."),
    ),
    Note.NO_PERSON: Failure(
        _("The sign-in worked, but no person was found with it."),
        Turn.PROVIDER,
        _("Ask them for a test patient who has a record, and try with that one."),
    ),
    Note.DENIED_BY_PROVIDER: Failure(
        _("Their server said no, not the person who signed in."),
        Turn.PROVIDER,
        _("Ask whether this test patient may use apps, and whether the application is turned on."),
    ),
    Note.NOT_STAFF: Failure(
        _("The account that began this is no longer allowed to try registrations."), Turn.STAFF, _("Sign in as staff.")
    ),
    Note.CANNOT_OPEN: Failure(
        _("Something that we keep sealed could not be opened: a key of this installation is missing."),
        Turn.US,
        _("Whoever runs this installation must look at VAULT_KEYS."),
    ),
}

FAILURES_OF_A_STEP: Mapping[tuple[Step, str], Failure] = {
    (Step.IDENTITY, IdentityFault.ISSUER): Failure(
        _("The proof names an issuer that we do not know yet, so we believe nothing that came with it."),
        Turn.STAFF,
        _("Compare the issuer with what the provider publishes. If it is right, allow it, and try again."),
    ),
    (Step.SIGN_IN, "invalid_request"): Failure(
        _("Their sign-in page did not accept our request."),
        Turn.STAFF,
        _("Compare the client id and the redirect URI there with those here, letter by letter."),
    ),
    (Step.SIGN_IN, "invalid_client"): Failure(
        _("Their sign-in page does not know our client id."),
        Turn.STAFF,
        _("Compare the client id. Until they approve the application, this is what they answer."),
    ),
    (Step.REFRESH, "invalid_grant"): Failure(
        _("Their server did not renew the permission it had just given."),
        Turn.PROVIDER,
        _("Patients would have to sign in again each time. Ask whether the application may renew permissions."),
    ),
    (Step.PERSON, "not_shared"): Failure(
        _("The test patient's own details were not shared, so there is no telling whose record it is."),
        Turn.STAFF,
        _("Try again and allow everything. If that does not help, add the scope for Patient to the application there."),
    ),
}

UNKNOWN = Failure(
    _("Their server refused in a way that we do not recognize."),
    Turn.US,
    _("Try again once. If that does not help, the developers have to look at it."),
)
