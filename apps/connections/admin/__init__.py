"""Connections as staff see them: how links do; never whose record, a clinical fact or a secret. Nothing changes."""

from apps.connections.admin import attempts, links

__all__ = ["attempts", "links"]
