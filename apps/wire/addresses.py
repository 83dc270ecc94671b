"""Which addresses we connect to: the URL guard (interface facts section 6, rows 15 to 17).

It checks twice. `check_address` looks at the text of a URL, when it is configured and again before each request.
`is_reachable` looks at the IP address that the name resolved to, when the connection is made. Both allow only what they
know to be safe.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import SplitResult, unquote, urlsplit

from apps.wire.errors import AddressFault, UnsafeAddress

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_LONGEST_URL = 8192
_DEFAULT_PORTS = {"https": 443, "http": 80}

# Printable ASCII without what no URL may contain (RFC 3986 appendix A), and without what parsers disagree about.
_PLAIN = re.compile(r"[!$%&'()*+,\-./0-9:;=?@A-Z_a-z~\[\]]+")
_AUTHORITY = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[0-9a-z.-]+))(?::(?P<port>.*))?", re.IGNORECASE)
_PORT = re.compile(r"[1-9][0-9]{0,4}")
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
# The last label decides whether browsers read a host as a number (WHATWG URL, "ends in a number").
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_HIDDEN_IN_PATH = re.compile(r"[\x00-\x1f\x7f\\]")
_MOST_ENCODINGS = 5  # whoever encodes a path more often than that hides something in it

# Names that never lead to a provider on the public network: RFC 6761, 6762, 8375, 9476 and habit.
_PRIVATE_SUFFIXES = frozenset(
    {"localhost", "local", "localdomain", "internal", "intranet", "private", "corp", "home", "lan", "arpa", "onion"}
)

# Beyond what `ipaddress` calls global: protocol assignments, the 6to4 relay, and one cloud's metadata service,
# which answers on a public address.
_REFUSED_V4 = tuple(
    ipaddress.IPv4Network(network)
    for network in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "100.64.0.0/10", "240.0.0.0/4")
)
# Of IPv6 only global unicast is allowed (RFC 4291 section 2.4), without the parts of it that contain an IPv4 address
# (6to4, Teredo) or are reserved (documentation, protocol assignments).
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_REFUSED_V6 = tuple(
    ipaddress.IPv6Network(network) for network in ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")
)


@dataclass(frozen=True)
class AddressPolicy:
    """What an installation allows besides https on port 443."""

    allow_loopback_http: bool = False  # for the sandbox; a check refuses it outside debug
    approved_origins: frozenset[str] = frozenset()  # "https://host:port", each approved by staff


@dataclass(frozen=True)
class Address:
    """A URL taken apart once, so that nobody else parses it differently. `host` is lower case, without brackets."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def origin(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def check_address(url: str, policy: AddressPolicy) -> None:
    """Raise UnsafeAddress for a URL that we would not connect to. Looks only at its text, and resolves no name."""
    parse_address(url, policy)


def parse_address(url: str, policy: AddressPolicy, *, longest: int = _LONGEST_URL) -> Address:
    """The parts of a URL that passed the guard; raises UnsafeAddress."""
    parts = _split(url, longest)
    host, port = _host_and_port(parts)
    address = Address(parts.scheme, host, port, parts.path)
    literal = _literal(host)
    if parts.scheme == "http":
        if not (policy.allow_loopback_http and is_loopback_host(host)):
            raise UnsafeAddress(fault=AddressFault.SCHEME)
    elif literal is not None:
        if not is_public(literal):
            raise UnsafeAddress(fault=AddressFault.NOT_PUBLIC)
    else:
        _check_name(host)
    if parts.scheme == "https" and address.port != 443 and address.origin not in policy.approved_origins:
        raise UnsafeAddress(fault=AddressFault.PORT)
    _check_path(parts.path)
    return address


def is_loopback_host(host: str) -> bool:
    """Whether the host, as written, is this machine: the only place plain http may go."""
    if host == "localhost":
        return True
    literal = _literal(host)
    return literal is not None and literal.is_loopback and getattr(literal, "ipv4_mapped", None) is None


def is_public(address: IpAddress) -> bool:
    """Whether the address belongs to the public network: a list of what does, with exceptions, and not the reverse."""
    if isinstance(address, ipaddress.IPv4Address):
        return address.is_global and not address.is_multicast and not any(address in net for net in _REFUSED_V4)
    if address.scope_id is not None:
        return False
    return address in _GLOBAL_UNICAST and not any(address in net for net in _REFUSED_V6)


def is_reachable(resolved: IpAddress, *, scheme: str) -> bool:
    """Whether a connection may go to this resolved address: loopback for plain http, public for https."""
    return resolved.is_loopback if scheme == "http" else is_public(resolved)


def page_beside(unverified_url: object, *, beside: str) -> str | None:
    """A link from a server's answer, if it has the same origin as an address that we trust; else None (facts 5.7)."""
    if not isinstance(unverified_url, str):
        return None
    open_policy = AddressPolicy(allow_loopback_http=True, approved_origins=frozenset({origin(beside)}))
    try:
        page = parse_address(unverified_url, open_policy)
    except UnsafeAddress:
        return None
    return unverified_url if page.origin == origin(beside) else None


def origin(url: str) -> str:
    """Scheme, host and port of an address that passed the guard, always with the port."""
    parts = urlsplit(url)
    return Address(parts.scheme, (parts.hostname or "").lower(), parts.port or _DEFAULT_PORTS[parts.scheme], "").origin


def _split(url: str, longest: int) -> SplitResult:
    """The parts of the URL. Refuses what different parsers would take apart differently."""
    if not 0 < len(url) <= longest:
        raise UnsafeAddress(fault=AddressFault.LENGTH)
    if "#" in url:
        raise UnsafeAddress(fault=AddressFault.FRAGMENT)
    if not _PLAIN.fullmatch(url):
        raise UnsafeAddress(fault=AddressFault.CHARACTER)
    fault = None
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets that hold no IPv6 address
        fault = AddressFault.HOST
    if fault is not None:
        raise UnsafeAddress(fault=fault)
    if not url.startswith(("https://", "http://")):
        raise UnsafeAddress(fault=AddressFault.SCHEME)
    if "@" in parts.netloc:
        raise UnsafeAddress(fault=AddressFault.USER_INFORMATION)
    return parts


def _host_and_port(parts: SplitResult) -> tuple[str, int]:
    """Host and port, from the whole authority: what does not match the pattern as a whole is refused."""
    authority = _AUTHORITY.fullmatch(parts.netloc)
    if authority is None:
        raise UnsafeAddress(fault=AddressFault.HOST)
    host = (authority["six"] or authority["name"]).lower()
    if (authority["six"] is not None) != isinstance(_literal(host), ipaddress.IPv6Address):
        raise UnsafeAddress(fault=AddressFault.HOST)
    written = authority["port"]
    if written is None:
        return host, _DEFAULT_PORTS[parts.scheme]
    if not _PORT.fullmatch(written) or int(written) > 65535:
        raise UnsafeAddress(fault=AddressFault.PORT)
    return host, int(written)


def _literal(host: str) -> IpAddress | None:
    """The host as an IP address, if it is one; other notations than the usual one are none."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _check_name(host: str) -> None:
    labels = host.split(".")
    is_name = len(host) <= 253 and len(labels) > 1 and all(_LABEL.fullmatch(label) for label in labels)
    if not is_name or _NUMBER.fullmatch(labels[-1]) or labels[-1] in _PRIVATE_SUFFIXES:
        raise UnsafeAddress(fault=AddressFault.HOST)


def _check_path(path: str) -> None:
    """Refuse a path that another program would read as a different one: with dot segments, however often encoded, and
    also with parameters after a semicolon (RFC 3986 section 3.3), which some servers remove before they resolve the
    dots."""
    decoded = path
    for _time in range(_MOST_ENCODINGS):
        path, decoded = decoded, unquote(decoded)
    segments = {segment.partition(";")[0] for segment in decoded.split("/")}
    if path != decoded or _HIDDEN_IN_PATH.search(decoded) or {".", ".."} & segments:
        raise UnsafeAddress(fault=AddressFault.PATH)
