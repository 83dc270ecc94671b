"""What the sandbox remembers: applications, accounts, what patients allowed, its clock, and the resources it serves."""

from apps.sandbox.models.account import Account
from apps.sandbox.models.application import Application, ApplicationStatus
from apps.sandbox.models.clock import ClockOffset
from apps.sandbox.models.grant import AccessToken, AuthorizationCode, Grant, RefreshToken
from apps.sandbox.models.resource import Resource, StoredFile

__all__ = [
    "AccessToken",
    "Account",
    "Application",
    "ApplicationStatus",
    "AuthorizationCode",
    "ClockOffset",
    "Grant",
    "RefreshToken",
    "Resource",
    "StoredFile",
]
