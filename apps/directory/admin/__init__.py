"""The directory in the admin: what staff keep. A secret goes in and never comes out; every change is audited."""

from apps.directory.admin import registrations, rows

__all__ = ["registrations", "rows"]
