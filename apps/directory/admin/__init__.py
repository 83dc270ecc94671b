"""The directory in the admin. A secret can be entered but is never shown; every change is audited."""

from apps.directory.admin import (
    accounts,
    checks,
    endpoints,
    keys,
    origins,
    providers,
    published_lists,
    registrations,
    servers,
    wishes,
)

__all__ = [
    "accounts",
    "checks",
    "endpoints",
    "keys",
    "origins",
    "providers",
    "published_lists",
    "registrations",
    "servers",
    "wishes",
]
