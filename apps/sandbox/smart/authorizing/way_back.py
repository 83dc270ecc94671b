"""The way back to an application: its redirect address with an answer (RFC 6749 sections 4.1.2 and 4.1.2.1)."""

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from apps.sandbox import scenarios
from apps.sandbox.smart.errors.addresses import explained
from apps.sandbox.smart.identity import issuers


@dataclass(frozen=True)
class WayBack:
    """Where the browser goes with an answer. `redirect_uri` is an address that is registered."""

    redirect_uri: str
    state: str | None
    client_id: str
    tenant: str
    persona: str

    def with_code(self, code: str) -> str:
        """The address with a code."""
        return self._with({"code": code})

    def with_error(self, error: str, name: str) -> str:
        """The address with an error; its `error_uri` explains the fault `name` of `errors.catalogue`.

        The address of that page is encoded as it stands, so that the URN in it arrives encoded twice (X63).
        """
        return self._with(explained(error, name, client_id=self.client_id, tenant=self.tenant, persona=self.persona))

    def _with(self, answer: dict[str, str]) -> str:
        """The answer in the query; what was there already stays. The state comes back as it was sent."""
        echo = scenarios.chosen("state_echo")
        if self.state is not None and echo != "off":
            answer = {**answer, "state": f"{self.state}x" if echo == "altered" else self.state}
        query = urlencode({**answer, **_issuer(self.tenant)})
        parts = urlsplit(self.redirect_uri)
        return urlunsplit(parts._replace(query="&".join(part for part in (parts.query, query) if part)))


def _issuer(tenant: str) -> dict[str, str]:
    """Who answers (RFC 9207), where the switch has it said."""
    match scenarios.chosen("issuer_in_answers"):
        case "on" | "unannounced":
            return {"iss": issuers.configuration(tenant)}
        case "wrong":
            return {"iss": issuers.configuration("another-tenant")}
        case _:
            return {}
