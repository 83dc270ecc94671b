"""Connections in the admin: the state of links, but never whose record it is, clinical data or a secret. Read-only."""

from apps.connections.admin import attempts, links

__all__ = ["attempts", "links"]
