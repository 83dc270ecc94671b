"""TLS: the certificate is checked against the name although the socket goes to an address."""

import socket
import ssl
import time
from datetime import UTC, datetime, timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from apps.wire import discovery, transport
from apps.wire.addresses import AddressPolicy
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import Actor, Code, EndpointMisconfigured, Unavailable
from apps.wire.fhir import FhirServer
from tests.wire.servers import http, serving

PUBLIC = "93.184.216.34"
NOW = datetime.now(UTC)


class Authority:
    """Issues certificates that are trusted where its own is."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        self.certificate = self._build(self.name, self.key, ca=True)

    def _build(self, subject, key, *, ca=False, names=(), until=NOW + timedelta(days=1)):
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(NOW - timedelta(days=2))
            .not_valid_after(until)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return builder.sign(self.key, hashes.SHA256())

    def context(self, folder, *names, **kwargs):
        """A server context for a certificate with these DNS names."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "server")])
        certificate = self._build(subject, key, names=[x509.DNSName(name) for name in names], **kwargs)
        pem = folder / "server.pem"
        pem.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + certificate.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        return context


@pytest.fixture
def authority(monkeypatch, tmp_path):
    """An authority that this machine trusts for the length of the test."""
    made = Authority()
    (tmp_path / "authority.pem").write_bytes(made.certificate.public_bytes(serialization.Encoding.PEM))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    transport._tls_context.cache_clear()
    yield made
    transport._tls_context.cache_clear()


@pytest.fixture
def provider(monkeypatch, tmp_path):
    """Starts a TLS server that the world, as the product sees it, knows as provider.example at a public address."""

    def start(context):
        def wrap(connection):
            return context.wrap_socket(connection, server_side=True)

        return serving(http(200, {"reached": True}), wrap=wrap)

    def resolve(host, port, *_args, **_kwargs):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (PUBLIC, port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return start


@pytest.fixture
def route(monkeypatch):
    """Carries what goes to the public address to a local port."""
    really_connect = socket.socket.connect
    reached = []

    def lay(port):
        def connect(self, target):
            reached.append(target)
            return really_connect(self, ("127.0.0.1", port) if target[0] == PUBLIC else target)

        monkeypatch.setattr(socket.socket, "connect", connect)
        return reached

    return lay


def getting(url="https://provider.example/fhir", policy=None):
    with transport.session(policy or AddressPolicy(), total_seconds=5) as session:
        return session.get(url)


class TestAnHttpsAddress:
    def test_is_reached_at_the_resolved_address_under_its_own_name(self, authority, provider, route, tmp_path):
        seen = []
        context = authority.context(tmp_path, "provider.example")
        context.sni_callback = lambda _socket, name, _context: seen.append(name)
        with provider(context) as server:
            reached = route(server.port)
            assert getting().json() == {"reached": True}
        assert reached == [(PUBLIC, 443)]
        assert seen == ["provider.example"]
        assert server.requests[0].headers["host"] == "provider.example"

    @pytest.mark.parametrize("names", [["other.example"], ["example"], ["*.provider.example"], []])
    def test_is_refused_where_the_certificate_is_for_another_name(self, names, authority, provider, route, tmp_path):
        with provider(authority.context(tmp_path, *names)) as server:
            route(server.port)
            with pytest.raises(EndpointMisconfigured) as refused:
                getting()
        assert refused.value.code is Code.UNTRUSTED_CERTIFICATE
        assert not server.requests

    def test_is_refused_where_nobody_we_trust_issued_the_certificate(self, authority, provider, route, tmp_path):
        with provider(Authority().context(tmp_path, "provider.example")) as server:
            route(server.port)
            with pytest.raises(EndpointMisconfigured) as refused:
                getting()
        assert refused.value.code is Code.UNTRUSTED_CERTIFICATE
        assert refused.value.actor is Actor.OPERATOR
        assert refused.value.__cause__ is refused.value.__context__ is None

    def test_is_not_taken_for_a_server_without_a_configuration(self, authority, provider, route, tmp_path):
        home = FhirServer("https://provider.example/fhir", FhirVersion.R4, DIALECTS["smart"], AddressPolicy())
        with provider(Authority().context(tmp_path, "provider.example")) as server:
            route(server.port)
            with pytest.raises(EndpointMisconfigured) as refused:
                discovery.discover(home)
        assert refused.value.code is Code.UNTRUSTED_CERTIFICATE

    def test_is_refused_where_the_certificate_has_expired(self, authority, provider, route, tmp_path):
        context = authority.context(tmp_path, "provider.example", until=NOW - timedelta(days=1))
        with provider(context) as server:
            route(server.port)
            with pytest.raises(EndpointMisconfigured) as refused:
                getting()
        assert refused.value.code is Code.UNTRUSTED_CERTIFICATE

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_is_refused_below_tls_1_2(self, authority, provider, route, tmp_path):
        context = authority.context(tmp_path, "provider.example")
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        with provider(context) as server:
            route(server.port)
            with pytest.raises(Unavailable) as refused:
                getting()
        assert refused.value.code is Code.UNREACHABLE
        assert not server.requests

    def test_is_reached_at_an_approved_port(self, authority, provider, route, tmp_path):
        policy = AddressPolicy(approved_origins=frozenset({"https://provider.example:8443"}))
        with provider(authority.context(tmp_path, "provider.example")) as server:
            reached = route(server.port)
            getting("https://provider.example:8443/fhir", policy)
        assert reached == [(PUBLIC, 8443)]

    @pytest.mark.parametrize("dribbles", [False, True])
    def test_is_given_up_where_the_handshake_takes_too_long(self, dribbles, authority, provider, route):
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
        assert time.monotonic() - began < 1.1
