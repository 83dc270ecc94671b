"""The URL guard: which URLs and which resolved addresses are refused, and for whom."""

import ipaddress
import socket

import pytest

from apps.wire import fhir, token_endpoint, transport
from apps.wire.addresses import AddressPolicy, is_public, is_reachable, page_beside
from apps.wire.client_authentication import Authentication, Client
from apps.wire.dialects import DIALECTS, FhirVersion
from apps.wire.errors import AddressFault, UnsafeAddress
from apps.wire.secret import Secret
from apps.wire.transport import check_address

STRICT = AddressPolicy()
LOOPBACK = AddressPolicy(allow_loopback_http=True)

HOSTILE = [
    # other schemes, and what looks like one
    ("http://provider.example/", AddressFault.SCHEME),
    ("ftp://provider.example/", AddressFault.SCHEME),
    ("file:///etc/passwd", AddressFault.SCHEME),
    ("gopher://provider.example:70/", AddressFault.SCHEME),
    ("ldap://provider.example/", AddressFault.SCHEME),
    ("javascript:alert(1)", AddressFault.SCHEME),
    ("data:text/html,x", AddressFault.SCHEME),
    ("HTTPS://provider.example/", AddressFault.SCHEME),
    ("//provider.example/", AddressFault.SCHEME),
    ("/relative", AddressFault.SCHEME),
    ("provider.example", AddressFault.SCHEME),
    ("https:provider.example", AddressFault.SCHEME),
    ("https:/provider.example", AddressFault.SCHEME),
    # this machine and its neighbours
    ("https://127.0.0.1/", AddressFault.NOT_PUBLIC),
    ("https://127.255.255.254/", AddressFault.NOT_PUBLIC),
    ("https://0.0.0.0/", AddressFault.NOT_PUBLIC),
    ("https://10.0.0.1/", AddressFault.NOT_PUBLIC),
    ("https://172.16.0.1/", AddressFault.NOT_PUBLIC),
    ("https://172.31.255.255/", AddressFault.NOT_PUBLIC),
    ("https://192.168.1.1/", AddressFault.NOT_PUBLIC),
    ("https://100.64.0.1/", AddressFault.NOT_PUBLIC),
    ("https://169.254.169.254/latest/meta-data/", AddressFault.NOT_PUBLIC),
    ("https://168.63.129.16/", AddressFault.NOT_PUBLIC),
    ("https://192.0.0.192/", AddressFault.NOT_PUBLIC),
    ("https://198.18.0.1/", AddressFault.NOT_PUBLIC),
    ("https://192.0.2.1/", AddressFault.NOT_PUBLIC),
    ("https://192.88.99.1/", AddressFault.NOT_PUBLIC),
    ("https://224.0.0.1/", AddressFault.NOT_PUBLIC),
    ("https://240.0.0.1/", AddressFault.NOT_PUBLIC),
    ("https://255.255.255.255/", AddressFault.NOT_PUBLIC),
    ("https://[::]/", AddressFault.NOT_PUBLIC),
    ("https://[::1]/", AddressFault.NOT_PUBLIC),
    ("https://[0:0:0:0:0:0:0:1]/", AddressFault.NOT_PUBLIC),
    ("https://[fc00::1]/", AddressFault.NOT_PUBLIC),
    ("https://[fd00:ec2::254]/", AddressFault.NOT_PUBLIC),
    ("https://[fe80::1]/", AddressFault.NOT_PUBLIC),
    ("https://[fec0::1]/", AddressFault.NOT_PUBLIC),
    ("https://[ff02::1]/", AddressFault.NOT_PUBLIC),
    ("https://[2001:db8::1]/", AddressFault.NOT_PUBLIC),
    # IPv4 inside IPv6
    ("https://[::ffff:127.0.0.1]/", AddressFault.NOT_PUBLIC),
    ("https://[::ffff:a9fe:a9fe]/", AddressFault.NOT_PUBLIC),
    ("https://[::127.0.0.1]/", AddressFault.NOT_PUBLIC),
    ("https://[64:ff9b::7f00:1]/", AddressFault.NOT_PUBLIC),
    ("https://[64:ff9b:1::7f00:1]/", AddressFault.NOT_PUBLIC),
    ("https://[2002:7f00:1::]/", AddressFault.NOT_PUBLIC),
    ("https://[2001:0:7f00:1::]/", AddressFault.NOT_PUBLIC),
    # addresses in disguise
    ("https://2130706433/", AddressFault.HOST),
    ("https://0x7f000001/", AddressFault.HOST),
    ("https://0x7f.0.0.1/", AddressFault.HOST),
    ("https://017700000001/", AddressFault.HOST),
    ("https://0177.0.0.1/", AddressFault.HOST),
    ("https://127.1/", AddressFault.HOST),
    ("https://127.0.0.1./", AddressFault.HOST),
    ("https://127.0.0.0x1/", AddressFault.HOST),
    ("https://1.2.3.4.5/", AddressFault.HOST),
    ("https://256.256.256.256/", AddressFault.HOST),
    ("https://%31%32%37.0.0.1/", AddressFault.HOST),
    ("https://[127.0.0.1]/", AddressFault.HOST),
    ("https://[fe80::1%25eth0]/", AddressFault.HOST),
    ("https://[::1]provider.example/", AddressFault.HOST),
    ("https://[2606:2800:220:1::1]provider.example/", AddressFault.HOST),
    ("https://[::1/", AddressFault.HOST),
    ("https://[v1.fe80]/", AddressFault.HOST),
    # names that lead home
    ("https://localhost/", AddressFault.HOST),
    ("https://LOCALHOST/", AddressFault.HOST),
    ("https://localhost./", AddressFault.HOST),
    ("https://app.localhost/", AddressFault.HOST),
    ("https://localhost.localdomain/", AddressFault.HOST),
    ("https://printer.local/", AddressFault.HOST),
    ("https://metadata.google.internal/", AddressFault.HOST),
    ("https://intranet/", AddressFault.HOST),
    ("https://postgres/", AddressFault.HOST),
    ("https://db.corp/", AddressFault.HOST),
    ("https://1.0.0.127.in-addr.arpa/", AddressFault.HOST),
    ("https://hidden.onion/", AddressFault.HOST),
    # odd hosts
    ("https:///path", AddressFault.HOST),
    ("https://", AddressFault.HOST),
    ("https://.provider.example/", AddressFault.HOST),
    ("https://provider..example/", AddressFault.HOST),
    ("https://provider.example./", AddressFault.HOST),
    ("https://-provider.example/", AddressFault.HOST),
    ("https://pro_vider.example/", AddressFault.HOST),
    ("https://provider%2eexample/", AddressFault.HOST),
    ("https://provider.example%00.evil.example/", AddressFault.HOST),
    ("https://provider.example,evil.example/", AddressFault.HOST),
    (f"https://{'a' * 64}.example/", AddressFault.HOST),
    (f"https://{'a.' * 127}example/", AddressFault.HOST),
    # letters that are not what they seem
    ("https://\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3/", AddressFault.CHARACTER),
    ("https://\uff11\uff12\uff17.0.0.1/", AddressFault.CHARACTER),
    ("https://127\u30020\u30020\u30021/", AddressFault.CHARACTER),
    ("https://provider\u2024example/", AddressFault.CHARACTER),
    ("https://pr\u043evider.example/", AddressFault.CHARACTER),
    ("https://provider.example\u2044path/", AddressFault.CHARACTER),
    ("https://provid\u00ader.example/", AddressFault.CHARACTER),
    ("https://provider.example\ud800/", AddressFault.CHARACTER),
    # characters parsers disagree about
    (" https://provider.example/", AddressFault.CHARACTER),
    ("https://provider.example/ ", AddressFault.CHARACTER),
    ("https://provider.example/\r\nHost: evil", AddressFault.CHARACTER),
    ("https://provider.exa\tmple/", AddressFault.CHARACTER),
    ("https://provider.example/\x00", AddressFault.CHARACTER),
    ("https://provider.example\\@evil.example/", AddressFault.CHARACTER),
    ("https:\\\\provider.example\\", AddressFault.CHARACTER),
    ("https://provider.example/<x>", AddressFault.CHARACTER),
    ('https://provider.example/"', AddressFault.CHARACTER),
    # user information, fragments, ports
    ("https://provider.example@evil.example/", AddressFault.USER_INFORMATION),
    ("https://user:secret@provider.example/", AddressFault.USER_INFORMATION),
    ("https://@provider.example/", AddressFault.USER_INFORMATION),
    ("https://provider.example:443@127.0.0.1/", AddressFault.USER_INFORMATION),
    ("https://provider.example/#x", AddressFault.FRAGMENT),
    ("https://provider.example#@evil.example/", AddressFault.FRAGMENT),
    ("https://provider.example:22/", AddressFault.PORT),
    ("https://provider.example:80/", AddressFault.PORT),
    ("https://provider.example:6379/", AddressFault.PORT),
    ("https://provider.example:8443/", AddressFault.PORT),
    ("https://provider.example:0/", AddressFault.PORT),
    ("https://provider.example:/", AddressFault.PORT),
    ("https://provider.example:0443/", AddressFault.PORT),
    ("https://provider.example:+443/", AddressFault.PORT),
    ("https://provider.example:-1/", AddressFault.PORT),
    ("https://provider.example:65536/", AddressFault.PORT),
    ("https://provider.example:443:22/", AddressFault.PORT),
    ("https://provider.example:x/", AddressFault.PORT),
    # paths another program would read differently
    ("https://provider.example/fhir/../admin", AddressFault.PATH),
    ("https://provider.example/fhir/%2e%2e/admin", AddressFault.PATH),
    ("https://provider.example/fhir/%252e%252e/admin", AddressFault.PATH),
    ("https://provider.example/fhir/..%2fadmin", AddressFault.PATH),
    ("https://provider.example/fhir/%25252e%25252e/admin", AddressFault.PATH),
    ("https://provider.example/fhir/..;/admin", AddressFault.PATH),
    ("https://provider.example/fhir/..;a=b/admin", AddressFault.PATH),
    ("https://provider.example/fhir/..%3b/admin", AddressFault.PATH),
    ("https://provider.example/fhir/%2e%2e%3Ba=b/admin", AddressFault.PATH),
    ("https://provider.example/fhir/.;/admin", AddressFault.PATH),
    ("https://provider.example/fhir/%2525252525252541", AddressFault.PATH),
    ("https://provider.example/fhir/..%5cadmin", AddressFault.PATH),
    ("https://provider.example/./fhir", AddressFault.PATH),
    ("https://provider.example/fhir%00", AddressFault.PATH),
    ("https://provider.example/fhir%0d%0aHost:evil", AddressFault.PATH),
    ("", AddressFault.LENGTH),
    ("https://provider.example/" + "a" * 8192, AddressFault.LENGTH),
]

GOOD = [
    "https://provider.example",
    "https://provider.example/",
    "https://provider.example:443/fhir/r4/",
    "https://FHIR.Provider.Example/nge/prod/fhir-api-r4/fhir/r4/",
    "https://fhir-myrecord.provider.example/r4/-Xk2_a/Patient?_count=50&page=2",
    "https://xn--bcher-kva.example/fhir",
    "https://93.184.216.34/fhir",
    "https://[2606:2800:220:1:248:1893:25c8:1946]/fhir",
    "https://provider.example/fhir;v=4/..a;b/Patient",
    "https://provider.example/fhir/100%25/%252541",
    "https://provider.example/fhir/lab%2B1?date=ge2020-01-01T00%3A00%3A00Z",
]


NAMES = [f"{number}" for number, _row in enumerate(HOSTILE)]  # some of the addresses fit into no test name


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*args, **kwargs):
        pytest.fail("the network was touched")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)


class TestTheTableOfHostileAddresses:
    def test_is_long_enough(self):
        assert len({url for url, _fault in HOSTILE}) == len(HOSTILE) >= 60

    @pytest.mark.conformance("C68")
    @pytest.mark.parametrize("policy", [STRICT, LOOPBACK], ids=["strict", "loopback"])
    @pytest.mark.parametrize(("url", "fault"), HOSTILE, ids=NAMES)
    def test_is_refused_when_configured(self, url, fault, policy, no_network):
        with pytest.raises(UnsafeAddress) as refused:
            check_address(url, policy)
        assert refused.value.fault is fault

    @pytest.mark.parametrize("url", [url for url, _fault in HOSTILE], ids=NAMES)
    def test_is_refused_at_every_door(self, url, no_network):
        registration = Client("our-id", Secret("our-secret"), Authentication.QUERY)
        dialect = DIALECTS["patient-access"]
        endpoint = token_endpoint.TokenEndpoint(url, registration, dialect, LOOPBACK, revocation_url=url)
        home = fhir.FhirServer("https://provider.example/fhir", FhirVersion.R4, dialect, LOOPBACK)
        away = fhir.FhirServer(url, FhirVersion.R4, dialect, LOOPBACK)
        token = Secret("token")
        with pytest.raises(UnsafeAddress):
            token_endpoint.exchange(endpoint, code=Secret("code"), redirect_uri="https://us.example/back")
        with pytest.raises(UnsafeAddress):
            token_endpoint.refresh(endpoint, refresh_token=token)
        with pytest.raises(UnsafeAddress):
            token_endpoint.revoke(endpoint, token=token)
        with pytest.raises(UnsafeAddress):
            fhir.capability(away)
        with pytest.raises(UnsafeAddress):
            fhir.find_patients(away, access_token=token)
        with pytest.raises(UnsafeAddress):
            fhir.follow(home, access_token=token, next_url=url)
        assert page_beside(url, beside="https://provider.example/authorize") is None

    @pytest.mark.parametrize("url", [url for url, _fault in HOSTILE], ids=NAMES)
    def test_is_refused_by_the_session_itself(self, url, no_network):
        with transport.session(LOOPBACK) as session, pytest.raises(UnsafeAddress):
            session.get(url)


class TestAnAddress:
    @pytest.mark.parametrize("url", GOOD)
    def test_of_a_provider_is_accepted(self, url, no_network):
        check_address(url, STRICT)

    def test_with_an_odd_port_is_accepted_where_staff_approved_exactly_that_one(self):
        policy = AddressPolicy(approved_origins=frozenset({"https://provider.example:8443"}))
        check_address("https://provider.example:8443/fhir", policy)
        for other in ("https://provider.example:8444/", "https://other.example:8443/"):
            with pytest.raises(UnsafeAddress):
                check_address(other, policy)

    def test_on_loopback_is_not_saved_by_an_approval(self):
        policy = AddressPolicy(approved_origins=frozenset({"https://127.0.0.1:8443", "http://provider.example:80"}))
        for url in ("https://127.0.0.1:8443/", "http://provider.example:80/"):
            with pytest.raises(UnsafeAddress):
                check_address(url, policy)

    @pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "localhost", "[::1]"])
    def test_with_plain_http_is_for_loopback_and_only_where_the_policy_says_so(self, host):
        url = f"http://{host}:8900/fhir/r4"
        check_address(url, LOOPBACK)
        with pytest.raises(UnsafeAddress) as refused:
            check_address(url, STRICT)
        assert refused.value.fault is AddressFault.SCHEME

    @pytest.mark.parametrize(
        "host", ["10.0.0.1", "app.localhost", "localhost.", "[::ffff:127.0.0.1]", "127.1", "0.0.0.0", "169.254.169.254"]
    )
    def test_with_plain_http_elsewhere_is_refused_whatever_the_policy(self, host):
        with pytest.raises(UnsafeAddress):
            check_address(f"http://{host}:8900/", LOOPBACK)


class TestAResolvedAddress:
    @pytest.mark.parametrize(
        "address",
        [
            *("127.0.0.1", "0.0.0.0", "10.1.2.3", "172.20.0.1", "192.168.0.1", "169.254.169.254", "100.100.100.200"),
            *("168.63.129.16", "192.0.0.1", "192.0.2.7", "198.18.0.1", "198.51.100.1", "203.0.113.1", "192.88.99.1"),
            *("224.0.0.251", "239.1.1.1", "240.0.0.1", "255.255.255.255"),
            *("::", "::1", "::ffff:8.8.8.8", "::8.8.8.8", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0"),
            *("fec0::1", "ff02::1", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1"),
            *("2002:808:808::", "3fff::1", "4000::1", "2606:4700::1%eth0"),
        ],
    )
    def test_outside_the_public_network_is_refused(self, address):
        assert not is_public(ipaddress.ip_address(address))

    @pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "2a00:1450::1"])
    def test_on_the_public_network_is_reachable_by_https_only(self, address):
        parsed = ipaddress.ip_address(address)
        assert is_reachable(parsed, scheme="https")
        assert not is_reachable(parsed, scheme="http")


class TestAPageAboutAnError:
    HOME = "https://login.provider.example/authorize"

    def test_is_kept_on_the_authorization_host(self):
        page = "https://login.provider.example/errors/urn%3Ax/instances/1?client=c&tenant=t"
        assert page_beside(page, beside=self.HOME) == page

    @pytest.mark.parametrize(
        "page",
        [
            *("https://provider.example/", "https://evil.example/?login.provider.example", "javascript:alert(1)"),
            *("http://login.provider.example/", "https://login.provider.example.evil.example/", "", None, 7, ["x"]),
            *("https://login.provider.example:444/", "https://x@login.provider.example/"),
        ],
    )
    def test_is_dropped_elsewhere(self, page):
        assert page_beside(page, beside=self.HOME) is None
