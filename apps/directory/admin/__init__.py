"""The directory in the admin: what staff keep. A secret goes in and never comes out; every change is audited."""

from apps.directory.admin import accounts, keys, registrations, rows, servers

__all__ = ["accounts", "keys", "registrations", "rows", "servers"]
