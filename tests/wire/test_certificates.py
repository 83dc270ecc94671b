"""The certificate that a host presents, and why it would be refused; no request is sent to find out."""

import ssl
import time
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes

from apps.wire import certificates
from apps.wire.addresses import AddressPolicy
from apps.wire.certificates import CertificateFault
from apps.wire.errors import AddressFault, Code, Unavailable, UnexpectedAnswer, UnsafeAddress
from tests.fixtures.tls import NOW, PUBLIC, Authority
from tests.wire.servers import serving

URL = "https://provider.example/fhir"


def seen(url=URL, **kwargs):
    return certificates.presented(url, policy=AddressPolicy(), **kwargs)


class TestACertificate:
    def test_is_seen_with_its_end_its_issuer_and_its_host(self, authority, tls_provider, route, tmp_path):
        until = (NOW + timedelta(days=20)).replace(microsecond=0)
        with tls_provider(authority.context(tmp_path, "provider.example", until=until)) as server:
            reached = route(server.port)
            found = seen()
            pem = x509.load_pem_x509_certificate((tmp_path / "server.pem").read_bytes())
        assert (found.host, found.issuer, found.ends_at) == ("provider.example", "Test authority", until)
        assert (found.tls_version, found.fault) == ("TLSv1.3", None)
        assert found.digest == pem.fingerprint(hashes.SHA256()).hex()
        assert (reached, server.requests) == ([(PUBLIC, 443)], [])

    @pytest.mark.parametrize(
        ("names", "validity", "fault"),
        [
            (["provider.example"], {"until": NOW - timedelta(days=1)}, CertificateFault.EXPIRED),
            (["provider.example"], {"since": NOW + timedelta(hours=1)}, CertificateFault.NOT_YET),
            (["other.example"], {}, CertificateFault.OTHER_HOST),
            ([], {}, CertificateFault.OTHER_HOST),
        ],
    )
    def test_is_seen_although_it_is_refused(self, names, validity, fault, authority, tls_provider, route, tmp_path):
        with tls_provider(authority.context(tmp_path, *names, **validity)) as server:
            route(server.port)
            found = seen()
        assert (found.fault, found.issuer) == (fault, "Test authority")
        assert not server.requests

    def test_of_an_authority_nobody_trusts_is_named(self, authority, tls_provider, route, tmp_path):
        with tls_provider(Authority("Somebody\u202e\x00 else").context(tmp_path, "provider.example")) as server:
            route(server.port)
            found = seen()
        assert (found.fault, found.issuer) == (CertificateFault.UNTRUSTED, "Somebody else")

    @pytest.mark.filterwarnings("ignore::DeprecationWarning")
    def test_is_seen_where_the_host_speaks_only_an_old_tls(self, authority, tls_provider, route, tmp_path):
        context = authority.context(tmp_path, "provider.example")
        context.set_ciphers("ALL:@SECLEVEL=0")
        context.minimum_version, context.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        with tls_provider(context) as server:
            route(server.port)
            found = seen()
        assert (found.fault, found.tls_version) == (CertificateFault.OLD_TLS, "TLSv1.1")

    def test_that_cannot_be_read_is_named_so(self, authority, tls_provider, route, tmp_path):
        authority.context(tmp_path, "provider.example")
        key, _, certificate = (tmp_path / "server.pem").read_text().partition("-----BEGIN CERTIFICATE-----")
        encoded = ssl.PEM_cert_to_DER_cert(f"-----BEGIN CERTIFICATE-----{certificate}")
        odd = encoded.replace(b"\xa0\x03\x02\x01\x02", b"\xa0\x03\x02\x01\x05", 1)  # of a version there is not
        (tmp_path / "odd.pem").write_text(key + ssl.DER_cert_to_PEM_cert(odd))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / "odd.pem")
        with tls_provider(context) as server:
            route(server.port)
            with pytest.raises(UnexpectedAnswer) as failed:
                seen()
        assert failed.value.code is Code.UNREADABLE


class TestAHost:
    def test_without_tls_has_none(self):
        assert certificates.presented("http://127.0.0.1:1/fhir", policy=AddressPolicy(allow_loopback_http=True)) is None

    @pytest.mark.parametrize(
        "url", ["https://127.0.0.1/", "https://provider.example:8443/", "http://provider.example/"]
    )
    def test_that_the_guard_refuses_is_not_asked(self, url):
        with pytest.raises(UnsafeAddress):
            seen(url)

    def test_whose_name_leads_inside_is_not_asked(self, monkeypatch):
        monkeypatch.setattr("socket.getaddrinfo", lambda *_a, **_k: [(2, 1, 6, "", ("10.0.0.1", 443))])
        with pytest.raises(UnsafeAddress) as refused:
            seen()
        assert refused.value.fault is AddressFault.NOT_PUBLIC

    def test_that_does_not_speak_tls_is_unreachable(self, authority, tls_provider, route):
        def talk(connection):
            connection.sendall(b"HTTP/1.1 400 No\r\n\r\n")
            raise OSError("hang up")

        with serving(b"", wrap=talk) as server:
            route(server.port)
            with pytest.raises(Unavailable) as failed:
                seen()
        assert failed.value.code is Code.UNREACHABLE
        assert failed.value.__cause__ is failed.value.__context__ is None

    @pytest.mark.parametrize("dribbles", [False, True])
    def test_is_given_up_when_the_time_is_over(self, dribbles, authority, tls_provider, route):
        def stall(connection):
            connection.sendall(b"\x16\x03\x03\x40\x00")
            for _ in range(40):
                time.sleep(0.1)
                connection.sendall(b"\x02" if dribbles else b"")
            raise OSError("hang up")

        with serving(b"", wrap=stall) as server:
            route(server.port)
            began = time.monotonic()
            with pytest.raises(Unavailable) as failed:
                seen(total_seconds=0.6)
        assert failed.value.code is Code.TIMED_OUT
        assert time.monotonic() - began < 3
