"""Snapshots of the sandbox as plain data: what the control address answers and its page shows."""

from dataclasses import asdict
from typing import Any

from apps.sandbox import clock, faults, recorder, scenarios
from apps.sandbox.models import Account, Application, SmartApplication


def time() -> dict[str, Any]:
    """The sandbox's time, and how far it is ahead."""
    return {"now": clock.now().isoformat(), "offset_seconds": clock.offset().total_seconds()}


def switches() -> dict[str, Any]:
    """Every switch: its value, its default, the possible values, and what it does."""
    return {
        name: {
            "value": scenarios.chosen(name),
            "default": switch.default,
            "values": list(switch.values),
            "explains": switch.explains,
        }
        for name, switch in scenarios.SWITCHES.items()
    }


def armed_faults() -> list[dict[str, Any]]:
    """The faults that are still to come."""
    return [asdict(fault) for fault in faults.armed()]


def everything() -> dict[str, Any]:
    """Clock, switches, faults, and how many requests are recorded."""
    return {
        "clock": time(),
        "switches": switches(),
        "faults": armed_faults(),
        "recorded": len(recorder.requests()),
    }


def recorded(row: recorder.Recorded) -> dict[str, Any]:
    """One request as it arrived."""
    return {
        "number": row.number,
        "at": row.at.isoformat(),
        "method": row.method,
        "path": row.path,
        "query": row.query,
        "headers": row.headers,
        "body": row.body.decode("utf-8", "replace"),
        "status": row.status,
    }


def application(row: Application) -> dict[str, Any]:
    """One application, without its secret."""
    return {
        "client_id": row.client_id,
        "name": row.name,
        "status": row.status,
        "versions": row.versions,
        "redirect_uris": row.redirect_uris,
    }


def smart_application(row: SmartApplication) -> dict[str, Any]:
    """One application of interface B, without its secret. Its keys are those of its system account."""
    account = row.system_account
    return {
        "client_id": row.client_id,
        "name": row.name,
        "status": row.status,
        "client_type": row.client_type,
        "authentication": row.authentication,
        "jwks": account.jwks if account else None,
        "jwks_url": account.jwks_url if account else "",
        "system_account": str(account.client_id) if account else "",
        "redirect_uris": row.redirect_uris,
        "launch_url": row.launch_url,
        "persona": row.persona,
        "versions": row.versions,
        "smart_version": row.smart_version,
        "scopes": row.scopes,
        "enabled_tenants": row.enabled_tenants,
    }


def account(row: Account) -> dict[str, Any]:
    """One account, with its password if the start page prints it."""
    return {
        "username": row.username,
        "password": row.shown_password,
        "display_name": row.display_name,
        "patients": row.patients,
        "practice": row.practice,
        "about": row.about,
        "is_enrolled": row.is_enrolled,
    }
