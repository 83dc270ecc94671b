"""The directory in the admin: what staff keep. A secret goes in and never comes out; every change is audited."""

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
