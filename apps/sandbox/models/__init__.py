"""What the sandbox stores: developers and their applications, accounts, grants, its clock, resources."""

from apps.sandbox.models.account import Account
from apps.sandbox.models.application import Application, ApplicationStatus
from apps.sandbox.models.clock import ClockOffset
from apps.sandbox.models.developer import Developer
from apps.sandbox.models.grant import AccessToken, AuthorizationCode, Grant, RefreshToken
from apps.sandbox.models.launch import Launch
from apps.sandbox.models.resource import Resource, StoredFile
from apps.sandbox.models.signing_key import KeyPurpose, SigningKey
from apps.sandbox.models.smart_application import (
    ClientAuthentication,
    ClientType,
    Persona,
    SmartApplication,
    SmartVersion,
)
from apps.sandbox.models.smart_grant import RefreshAccess, SmartAssertion, SmartCode, SmartGrant, SmartRefreshToken
from apps.sandbox.models.system_account import (
    SystemAccount,
    SystemAccountKind,
    SystemAccountStatus,
    SystemAssertion,
)
from apps.sandbox.models.tenant import Tenant

__all__ = [
    "AccessToken",
    "Account",
    "Application",
    "ApplicationStatus",
    "AuthorizationCode",
    "ClientAuthentication",
    "ClientType",
    "ClockOffset",
    "Developer",
    "Grant",
    "KeyPurpose",
    "Launch",
    "Persona",
    "RefreshAccess",
    "RefreshToken",
    "Resource",
    "SigningKey",
    "SmartApplication",
    "SmartAssertion",
    "SmartCode",
    "SmartGrant",
    "SmartRefreshToken",
    "SmartVersion",
    "StoredFile",
    "SystemAccount",
    "SystemAccountKind",
    "SystemAccountStatus",
    "SystemAssertion",
    "Tenant",
]
