"""Values that staff copy into a developer portal or console, character by character."""

from dataclasses import dataclass

from apps.connections.grants import scoping
from apps.directory import published_keys, registering
from apps.directory.models import ClientRegistration, Endpoint


@dataclass(frozen=True)
class ToCopy:
    """Our absolute URLs. `scopes` are names, empty if the interface has none or they cannot be written; `guid` is the
    id of the system account, or empty."""

    redirect_uri: str
    launch_url: str
    key_set_url: str
    scopes: tuple[str, ...]
    guid: str


def to_copy(registration: ClientRegistration, endpoint: Endpoint | None) -> ToCopy:
    """The values for one registration; the scopes are for this endpoint, if there is one."""
    account = registration.system_account
    return ToCopy(
        redirect_uri=registering.redirect_uri(registration),
        launch_url=registering.launch_url(registration),
        key_set_url=published_keys.key_set_url(),
        scopes=scoping.to_register(endpoint, registration) if endpoint is not None else (),
        guid=account.account_id if account is not None else "",
    )
