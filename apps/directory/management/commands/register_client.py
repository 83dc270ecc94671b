"""`register_client`: register with an authorization server by command, from the first request to approval."""

import json
import sys
from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from datetime import date, datetime
from getpass import getpass
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.template.defaultfilters import pluralize
from django.utils import timezone

from apps.audit.recording import Actor
from apps.directory import (
    enabling,
    import_waits,
    linkability,
    overriding,
    published_keys,
    reaching,
    registering,
    signing,
    switching,
    trusting,
)
from apps.directory.desk import system_accounts
from apps.directory.import_waits import StillImporting
from apps.directory.management import arguments, naming
from apps.directory.models import AuthorizationServer, ClientRegistration, Endpoint, SystemAccount
from apps.directory.registering import RefreshScope, SmartVersion, Terms
from apps.wire.client_authentication import Authentication
from apps.wire.dialects import FhirVersion, Interface
from apps.wire.secret import Secret

_ACTOR = Actor.system("register_client")
_METHODS = [method.value for method in Authentication if method is not Authentication.BEARER_JWT]
_WITHOUT_A_SECRET = frozenset({Authentication.NONE, Authentication.PRIVATE_KEY_JWT})
_SIGNED = frozenset({Authentication.PRIVATE_KEY_JWT, Authentication.BEARER_JWT})
_NO_REFRESH = "none"
_USUAL = "usual"
_SYSTEM_METHODS = [Authentication.BASIC.value, Authentication.BEARER_JWT.value, Authentication.PRIVATE_KEY_JWT.value]
_KEY_SETS = {"fetched": True, "uploaded": False}
_OVERRIDE_HELP = (
    f"a value to use instead of the dialect's, or NAME= to use the dialect's again: {', '.join(reaching.OVERRIDES)}"
)


class Command(BaseCommand):
    """Run it once to learn the redirect URI, and again with what the developer portal issued."""

    help = (
        "Prepare a client registration, and print what to register with the provider (redirect URI, launch URL, "
        "public key), one JSON object per line. With --client-id, store that id, and the secret from standard "
        "input if the authentication method needs one. --approve and --versions say what the developer portal "
        "decided. The details that the portal or console knows, overrides of the dialect, and the switch have "
        "options of their own."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which servers, and what to change there."""
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument(
            "--authorization-server",
            metavar="URL",
            help="its authorization address, the label of our registration there, or the FHIR base URL of an endpoint",
        )
        which.add_argument("--all-sandbox", action="store_true", help="every authorization server of the sandbox")
        parser.add_argument(
            "--client-id", type=arguments.given, help="store this client id; its secret is read from standard input"
        )
        parser.add_argument(
            "--approve", action="store_true", help="note that the developer portal approved the application"
        )
        parser.add_argument(
            "--versions", default="", help="note that these FHIR versions were added there, such as dstu2,r4"
        )
        _add_terms(parser)
        _add_desk(parser)
        parser.add_argument(
            "--issuer", action="append", default=[], metavar="URL", help="an undeclared issuer that ID tokens may name"
        )
        parser.add_argument(
            "--serves",
            action="append",
            default=[],
            metavar="URL",
            help="FHIR base URL of an organization to serve, too",
        )
        parser.add_argument(
            "--override", action="append", default=[], metavar="NAME=VALUE", help=_OVERRIDE_HELP, type=_pair
        )
        parser.add_argument(
            "--switch",
            choices=["on", "off"],
            help="switch the registration; off stops linking, refreshing and syncing at once",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print one line for each registration. Either everything is stored, or nothing."""
        versions = _versions(options["versions"])
        servers = _servers(options["authorization_server"])
        is_awaited = options["client_id"] and any(_needs_secret(server, options) for server in servers)
        secret = _secret() if is_awaited else None  # no lock is held while it is typed
        try:
            with import_waits.briefly():
                lines = [_line(server, self._register(server, versions, secret, options)) for server in servers]
        except StillImporting:
            raise CommandError(
                "Nothing was stored, because a list is being imported. After that, do it again."
            ) from None
        for line in lines:
            self.stdout.write(json.dumps(line))
        for server in servers:
            self._say_what_is_missing(server)

    def _register(
        self,
        server: AuthorizationServer,
        versions: frozenset[FhirVersion],
        secret: Secret | None,
        options: dict[str, Any],
    ) -> ClientRegistration:
        registration = self._prepare(server, options)
        at = timezone.now()
        if options["client_id"]:
            proof = None if registration.authentication in _WITHOUT_A_SECRET else secret
            registering.store_credentials(
                registration, client_id=options["client_id"], secret=proof, actor=_ACTOR, at=at
            )
        if versions:
            registering.set_versions(registration, versions, actor=_ACTOR, at=at)
        if options["approve"]:
            try:
                registering.approve(registration, actor=_ACTOR, at=at)
            except registering.StatusNotAllowed:
                raise CommandError(f"{registration} cannot be approved any more: look at it in the admin.") from None
        if options["secret_due"]:
            due = Terms(secret_rotation_due_date=options["secret_due"])
            registering.set_terms(registration, due, actor=_ACTOR, at=at)
        if options["switch"]:
            switching.switch_registration(registration, is_on=options["switch"] == "on", actor=_ACTOR, at=at)
        return registration

    def _prepare(self, server: AuthorizationServer, options: dict[str, Any]) -> ClientRegistration:
        """What we choose, before anything is requested at the developer portal."""
        at = timezone.now()
        dialect = reaching.usual_dialect(server)
        registration = trusting.register(server, dialect=dialect, actor=_ACTOR, at=at)
        self._say_who_waits(server)
        try:
            registering.set_terms(registration, _terms(registration, options), actor=_ACTOR, at=at)
            if options["override"]:
                overriding.override(registration, dict(options["override"]), actor=_ACTOR, at=at)
        except ValidationError as refusal:
            raise CommandError(" ".join(refusal.messages)) from None
        for issuer in options["issuer"]:
            try:
                trusting.allow_issuer(server, issuer, actor=_ACTOR, at=at)
            except ValidationError:
                raise CommandError(f"{issuer} is not an address we connect to.") from None
        for url in options["serves"]:
            self._serve(registration, url, at=at)
        return registration

    def _say_who_waits(self, server: AuthorizationServer) -> None:
        waiting = Endpoint.objects.filter(authorization_server=server, is_stranger=True).count()
        if waiting:
            self.stderr.write(
                f"{waiting} of its endpoints {pluralize(waiting, 'is at another host,are at other hosts')}, and "
                f"{pluralize(waiting, 'stays,stay')} off until somebody looks at "
                f"{pluralize(waiting, 'it,these')} at the registration desk."
            )

    def _say_what_is_missing(self, server: AuthorizationServer) -> None:
        """Endpoints that patients cannot link yet, and why: the next step for whoever registers."""
        at = timezone.now()
        for endpoint in server.endpoints.select_related("authorization_server").order_by("fhir_base_url"):
            if obstacle := linkability.obstacle(endpoint, at=at):
                self.stderr.write(f"patients cannot link {endpoint.fhir_base_url} now: {obstacle.label}")

    def _serve(self, registration: ClientRegistration, url: str, *, at: datetime) -> None:
        """Serve another organization of the same deployment."""
        try:
            row = enabling.serve(registration, naming.endpoint(url), actor=_ACTOR, at=at)
        except enabling.Unsuited:
            raise CommandError(f"{url} is of another interface, or one of the two is the sandbox's.") from None
        except enabling.NotBeside:
            raise CommandError(f"{url} signs people in elsewhere, or was not discovered yet.") from None
        if Endpoint.objects.filter(pk=row.endpoint_id, is_stranger=True).exists():
            self.stderr.write(f"{url} is off until somebody looks at its host at the registration desk.")


def _add_terms(parser: ArgumentParser) -> None:
    """What is fixed when the application is registered."""
    parser.add_argument("--authentication", choices=_METHODS, help="how we authenticate")
    parser.add_argument(
        "--algorithm", choices=signing.Algorithm.values, help="the algorithm of the key for private_key_jwt"
    )
    parser.add_argument(
        "--key-set", choices=_KEY_SETS, help="whether the provider fetches our key set, or holds an uploaded copy"
    )
    parser.add_argument(
        "--smart-version", choices=SmartVersion.values, help="the SMART version in whose syntax scopes are written"
    )
    parser.add_argument(
        "--refresh-scope", choices=[*RefreshScope.values, _NO_REFRESH], help="the scope that asks for a refresh token"
    )
    parser.add_argument(
        "--identity", action=BooleanOptionalAction, help="whether to ask for an ID token that says who signed in"
    )
    parser.add_argument(
        "--prompt", action=BooleanOptionalAction, help="whether to ask for the provider's consent page at each sign-in"
    )


def _add_desk(parser: ArgumentParser) -> None:
    """What the developer portal or console knows of us."""
    parser.add_argument("--developer-email", help="the e-mail address of the developer account there")
    parser.add_argument("--application-name", help="the name of the application there")
    parser.add_argument("--application-id", help="the id of the application there")
    parser.add_argument("--desk-url", metavar="URL", help="the address of the developer portal or console")
    parser.add_argument("--support-contact", help="the person or address to ask there")
    parser.add_argument(
        "--system-account",
        metavar="ID",
        type=arguments.given,
        help="the system account under which the application is approved",
    )
    parser.add_argument(
        "--system-account-name",
        metavar="NAME",
        help="first note that system account, as approved, under this client name",
    )
    parser.add_argument(
        "--system-authentication", choices=[*_SYSTEM_METHODS, _USUAL], help="how that account authenticates"
    )
    parser.add_argument(
        "--secret-due", metavar="DATE", type=_date, help="the date by which to replace the secret, as YYYY-MM-DD"
    )


def _terms(registration: ClientRegistration, options: dict[str, Any]) -> Terms:
    authentication = Authentication(options["authentication"] or registration.authentication)
    system_authentication = options["system_authentication"] or registration.system_authentication
    key = registration.signing_key
    if _SIGNED.intersection({authentication, system_authentication}) and (key is None or options["algorithm"]):
        algorithm = options["algorithm"] or signing.Algorithm.ES384
        at = timezone.now()
        key = signing.current(algorithm, at=at) or signing.make(algorithm, actor=_ACTOR, at=at)
    refresh_scope = options["refresh_scope"]
    return Terms(
        authentication=authentication,
        signing_key=key,
        key_set_is_fetched=_KEY_SETS.get(options["key_set"]),
        smart_version=options["smart_version"],
        refresh_scope="" if refresh_scope == _NO_REFRESH else refresh_scope,
        asks_identity=options["identity"],
        prompts_for_consent=options["prompt"],
        developer_email=options["developer_email"],
        application_name=options["application_name"],
        application_id=options["application_id"],
        desk_url=options["desk_url"],
        support_contact=options["support_contact"],
        system_account=_system_account(options["system_account"], options["system_account_name"]),
        system_authentication="" if system_authentication == _USUAL else system_authentication,
    )


def _line(server: AuthorizationServer, registration: ClientRegistration) -> dict[str, object]:
    endpoints = server.endpoints.order_by("fhir_base_url")
    interfaces = sorted({endpoint.interface for endpoint in endpoints})
    key = registration.signing_key
    return {
        "authorization_server": server.authorize_url,
        "redirect_uri": registering.redirect_uri(registration),
        "launch_url": registering.launch_url(registration) if Interface.SMART in interfaces else None,
        "fhir_base_urls": [endpoint.fhir_base_url for endpoint in endpoints],
        "fhir_versions": sorted({endpoint.fhir_version for endpoint in endpoints}),
        "interfaces": interfaces,
        "tenants": sorted({endpoint.tenant for endpoint in endpoints if endpoint.tenant}),
        "authentication": registration.authentication,
        "public_jwk": key.public_jwk if key else None,
        "key_set_url": published_keys.key_set_url() if key else None,
        "smart_version": registration.smart_version,
        "refresh_scope": registration.refresh_scope,
        "asks_identity": registration.asks_identity,
        "status": registration.status,
        "is_switched_on": registration.is_switched_on,
        "secret_rotation_due_date": due.isoformat() if (due := registration.secret_rotation_due_date) else None,
        "system_account_id": registration.system_account.account_id if registration.system_account else None,
        "system_authentication": registration.system_authentication or None,
        "overrides": {
            name: value for name in reaching.OVERRIDES if (value := getattr(registration, name)) not in {None, ""}
        },
    }


def _servers(authorize_url: str | None) -> list[AuthorizationServer]:
    if authorize_url is not None:
        return naming.authorization_servers(authorize_url)
    found = list(AuthorizationServer.objects.filter(is_sandbox=True).order_by("authorize_url", "pk"))
    if not found:
        raise CommandError("The directory has no such authorization server: import its endpoints, or discover them.")
    return found


def _needs_secret(server: AuthorizationServer, options: dict[str, Any]) -> bool:
    before = registering.standing(server)
    usual = before.authentication if before else reaching.usual_dialect(server).authentication
    return (options["authentication"] or usual) not in _WITHOUT_A_SECRET


def _system_account(account_id: str | None, name: str | None) -> SystemAccount | None:
    if account_id is None:
        return None
    account = SystemAccount.objects.filter(account_id=account_id).first()
    if account is None and name:
        at = timezone.now()
        account = system_accounts.note_request(description=name, client_name=name, actor=_ACTOR, at=at)
        system_accounts.approve(account, account_id=account_id, actor=_ACTOR, at=at)
    if account is None:
        raise CommandError("There is no system account with this id: add it in the admin, or give its name.")
    return account


def _pair(given: str) -> tuple[str, str]:
    name, equals, value = given.partition("=")
    if not equals:
        raise ArgumentTypeError("write NAME=VALUE")
    return name, value


def _date(given: str) -> date:
    try:
        return date.fromisoformat(given)
    except ValueError:
        raise ArgumentTypeError("write a day as YYYY-MM-DD") from None


def _versions(given: str) -> frozenset[FhirVersion]:
    try:
        return frozenset(FhirVersion(version.strip()) for version in given.split(",") if version.strip())
    except ValueError:
        raise CommandError("A version is dstu2 or r4.") from None


def _secret() -> Secret | None:
    """A line of standard input; at a terminal there is a prompt, and it is not echoed."""
    is_typed = sys.stdin.isatty()
    line = getpass("Client secret (not shown; nothing keeps the one there is): ") if is_typed else sys.stdin.readline()
    value = line.rstrip("\r\n")
    return Secret(value) if value else None
