"""TLS: the certificate is checked against the host's name, although the socket connects to an address."""

import ssl
import time
from datetime import timedelta

import pytest

from apps.wire import discovery, transport
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import Actor, Code, EndpointMisconfigured, Unavailable
from apps.wire.fhir import FhirServer
from tests.fixtures.tls import NOW, PUBLIC, Authority
from tests.wire.servers import serving


def getting(url="https://provider.example/fhir", policy=None):
    with transport.session(policy or AddressPolicy(), total_seconds=5) as session:
        return session.get(url)


class TestAnHttpsAddress:
    def test_is_reached_at_the_resolved_address_under_its_own_name(self, authority, tls_provider, route, tmp_path):
        seen = []
        context = authority.context(tmp_path, "provider.example")
        context.sni_callback = lambda _socket, name, _context: seen.append(name)
        with tls_provider(context) as server:
            reached = route(server.port)
            assert getting().json() == {"reached": True}
        assert reached == [(PUBLIC, 443)]
        assert seen == ["provider.example"]
        assert server.requests[0].headers["host"] == "provider.example"

    @pytest.mark.parametrize("names", [["other.example"], ["example"], ["*.provider.example"], []])
    def test_is_refused_where_the_certificate_is_for_another_name(
        self, names, authority, tls_provider, route, tmp_path
    ):
        with tls_provider(authority.context(tmp_path, *names)) as server:
            route(server.port)
            with pytest.raises(EndpointMisconfigured) as refused:
                getting()
        assert refused.value.code is Code.UNTRUSTED_CERTIFICATE
        assert not server.requests

    def test_is_refused_where_nobody_we_trust_issued_the_certificate(self, authority, tls_provider, route, tmp_path):
        with tls_provider(Authority().context(tmp_path, "provider.example")) as server:
            route(server.port)
            with pytest.raises(EndpointMisconfigured) as refused:
                getting()
        assert refused.value.code is Code.UNTRUSTED_CERTIFICATE
        assert refused.value.actor is Actor.OPERATOR
        assert refused.value.__cause__ is refused.value.__context__ is None

    def test_is_not_taken_for_a_server_without_a_configuration(self, authority, tls_provider, route, tmp_path):
        home = FhirServer("https://provider.example/fhir", FhirVersion.R4, DIALECTS["smart"], AddressPolicy())
        with tls_provider(Authority().context(tmp_path, "provider.example")) as server:
            route(server.port)
            with pytest.raises(EndpointMisconfigured) as refused:
                discovery.discover(home)
        assert refused.value.code is Code.UNTRUSTED_CERTIFICATE

    def test_is_refused_where_the_certificate_has_expired(self, authority, tls_provider, route, tmp_path):
        context = authority.context(tmp_path, "provider.example", until=NOW - timedelta(days=1))
        with tls_provider(context) as server:
            route(server.port)
            with pytest.raises(EndpointMisconfigured) as refused:
                getting()
        assert refused.value.code is Code.UNTRUSTED_CERTIFICATE

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_is_refused_below_tls_1_2(self, authority, tls_provider, route, tmp_path):
        context = authority.context(tmp_path, "provider.example")
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        with tls_provider(context) as server:
            route(server.port)
            with pytest.raises(Unavailable) as refused:
                getting()
        assert refused.value.code is Code.UNREACHABLE
        assert not server.requests

    def test_is_reached_at_an_approved_port(self, authority, tls_provider, route, tmp_path):
        policy = AddressPolicy(approved_origins=frozenset({"https://provider.example:8443"}))
        with tls_provider(authority.context(tmp_path, "provider.example")) as server:
            reached = route(server.port)
            getting("https://provider.example:8443/fhir", policy)
        assert reached == [(PUBLIC, 8443)]

    @pytest.mark.parametrize("dribbles", [False, True])
    def test_is_given_up_where_the_handshake_takes_too_long(self, dribbles, authority, tls_provider, route):
        def stall(connection):
            connection.sendall(b"\x16\x03\x03\x40\x00")
            for _ in range(40):
                time.sleep(0.1)
                connection.sendall(b"\x02" if dribbles else b"")
            raise OSError("hang up")

        with serving(b"", wrap=stall) as server:
            route(server.port)
            began = time.monotonic()
            with (
                transport.session(AddressPolicy(), total_seconds=0.6) as session,
                pytest.raises(Unavailable) as refused,
            ):
                session.get("https://provider.example/")
        assert refused.value.code is Code.TIMED_OUT
        assert time.monotonic() - began < 3
