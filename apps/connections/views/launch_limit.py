"""Limit how many launch links one network may open.

Each is stored for an hour, and anybody who knows a launch URL can invent any number of them.
"""

from ipaddress import IPv6Address, ip_address, ip_network

from django.core.cache import cache
from django.http import HttpRequest

from apps.accounts import lockout

MOST = 100  # a hospital's waiting room may have one address
SECONDS = 600

_HOUSEHOLD_BITS = 64  # of an IPv6 address: visitors choose the rest themselves


def is_one_too_many(request: HttpRequest) -> bool:
    """Count this visit; True if its network has exceeded the limit for ten minutes."""
    key = f"launches:{_network(lockout.counted_address(request))}"
    cache.add(key, 0, timeout=SECONDS)
    try:
        return cache.incr(key) > MOST
    except ValueError:  # the ten minutes ended just now
        return False


def _network(unverified_address: str) -> str:
    address = ip_address(unverified_address)
    if not isinstance(address, IPv6Address) or address.ipv4_mapped:
        return str(address)
    return str(ip_network(f"{address}/{_HOUSEHOLD_BITS}", strict=False))
