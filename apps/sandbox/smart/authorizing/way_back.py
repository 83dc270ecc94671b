"""The redirect back to an application, with a response (RFC 6749 sections 4.1.2 and 4.1.2.1)."""

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit, urlunsplit

from apps.sandbox import scenarios
from apps.sandbox.smart.errors.addresses import explained
from apps.sandbox.smart.identity import issuers


@dataclass(frozen=True)
class WayBack:
    """Where the browser goes with a response. `redirect_uri` is a registered one."""

    redirect_uri: str
    state: str | None
    client_id: str
    tenant: str
    persona: str

    def with_code(self, code: str) -> str:
        """The URL with a code."""
        return self._with({"code": code})

    def with_error(self, error: str, name: str) -> str:
        """The URL with an error; its `error_uri` explains the error `name` of `errors.catalogue`.

        The URL of that page is a parameter here, so the URN in it is percent-encoded twice (X63).
        """
        return self._with(explained(error, name, client_id=self.client_id, tenant=self.tenant, persona=self.persona))

    def _with(self, answer: dict[str, str]) -> str:
        """The response in the query, after the URI's own query. The state is returned as it was sent."""
        echo = scenarios.chosen("state_echo")
        if self.state is not None and echo != "off":
            answer = {**answer, "state": f"{self.state}x" if echo == "altered" else self.state}
        query = urlencode({**answer, **_issuer(self.tenant)})
        parts = urlsplit(self.redirect_uri)
        return urlunsplit(parts._replace(query="&".join(part for part in (parts.query, query) if part)))


def _issuer(tenant: str) -> dict[str, str]:
    """The issuer of the response (RFC 9207), if the switch says so."""
    match scenarios.chosen("issuer_in_answers"):
        case "on" | "unannounced":
            return {"iss": issuers.configuration(tenant)}
        case "wrong":
            return {"iss": issuers.configuration("another-tenant")}
        case _:
            return {}
