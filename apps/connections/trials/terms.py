"""A digest of what a trial was begun with. If any of it changed since, the trial does not show what patients would
meet."""

import hashlib
import json

from apps.directory.models import ClientRegistration

_COLUMNS = (
    "client_id", "secret_set_at", "authentication", "key_set_is_fetched", "smart_version", "scope", "refresh_scope",
    "asks_identity", "prompts_for_consent", "uses_pkce", "sends_state", "sends_aud", "token_parameters", "accept",
)  # fmt: skip


def of(registration: ClientRegistration) -> str:
    """A digest of credentials, terms and versions: 64 characters, equal while they are unchanged. Secrets are not
    included, only when they were stored. A signing key counts only if the provider has a copy: one that they fetch is
    rotated regularly without effect."""
    values = {name: getattr(registration, name) for name in _COLUMNS}
    values["versions_added"] = sorted(registration.versions_added)
    if not registration.key_set_is_fetched:
        values["signing_key"] = registration.signing_key_id
    return hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()
