"""The values of a registration that replace its dialect's: which ones, which are refused, and where they are read."""

import ast

import pytest
from django.core.exceptions import ValidationError

from apps.audit.models import AuditEvent
from apps.audit.recording import Actor
from apps.directory import overriding, reaching
from apps.directory.models import ClientRegistration, Endpoint
from apps.wire.dialects import DIALECTS, FhirVersion, Placement
from config import env
from tests.directory.conftest import AT

pytestmark = pytest.mark.django_db

ACTOR = Actor.system("test")
# A text that staff may write for each column, and what the dialect says then.
WRITTEN = {
    "token_parameters": ("query", Placement.QUERY),
    "sends_state": ("False", False),
    "sends_aud": ("False", False),
    "accept": ("application/json", dict.fromkeys(FhirVersion, "application/json")),
    "refresh_window_hours": ("72", 72),
    "idle_limit_days": ("30", 30),
    "minimum_refresh_seconds": ("5", 5),
    "assumed_lifetime_seconds": ("120", 120),
    "requests_per_minute": ("7", 7),
    "parallel_requests": ("3", 3),
    "runs_at_once": ("2", 2),
    "revokes_replaced": ("True", True),
}


@pytest.fixture
def endpoint(make_provider, make_endpoint) -> Endpoint:
    made: Endpoint = make_endpoint(
        make_provider("Harbor"), interface="smart", dialect="smart", registration={"authentication": "none"}
    )
    return made


@pytest.fixture
def registration(endpoint) -> ClientRegistration:
    return ClientRegistration.objects.get()


class TestTheDialectOfARegistration:
    def test_is_the_endpoints_where_nothing_is_written(self, endpoint, registration):
        assert reaching.dialect(endpoint, registration) == DIALECTS["smart"]
        assert reaching.dialect(endpoint, None) == DIALECTS["smart"]

    @pytest.mark.parametrize("column", reaching.OVERRIDES)
    def test_differs_in_the_one_value_that_is_written(self, endpoint, registration, column):
        text, value = WRITTEN[column]
        overriding.override(registration, {column: text}, actor=ACTOR, at=AT)
        name = reaching.OVERRIDES[column]
        found, usual = reaching.dialect(endpoint, registration), DIALECTS["smart"]
        assert getattr(found, name) == value != getattr(usual, name)
        others = [each for each in usual.__dataclass_fields__ if each != name]
        assert all(getattr(found, each) == getattr(usual, each) for each in others)

    @pytest.mark.parametrize("column", reaching.OVERRIDES)
    def test_is_the_endpoints_again_where_it_is_emptied(self, endpoint, registration, column):
        overriding.override(registration, {column: WRITTEN[column][0]}, actor=ACTOR, at=AT)
        overriding.override(registration, {column: ""}, actor=ACTOR, at=AT)
        assert reaching.dialect(endpoint, registration) == DIALECTS["smart"]

    def test_is_written_down_by_the_names_of_columns(self, registration):
        overriding.override(registration, {"accept": "text/x-canary", "runs_at_once": "2"}, actor=ACTOR, at=AT)
        (event,) = AuditEvent.objects.filter(facts__action="overrides set")
        assert event.facts["changed"] == "accept runs_at_once"
        assert "canary" not in str(event.facts)


class TestAValueThatMakesNoSense:
    @pytest.mark.parametrize(
        ("column", "text"),
        [
            *((column, "0") for column in reaching.OVERRIDES if column.endswith(("hours", "days", "once", "minute"))),
            *((column, "999999999") for column in reaching.OVERRIDES if column.endswith(("hours", "days", "seconds"))),
            ("minimum_refresh_seconds", "0"),
            ("assumed_lifetime_seconds", "59"),
            ("runs_at_once", "65"),
            ("refresh_window_hours", "-1"),
            ("refresh_window_hours", "two days"),
            ("token_parameters", "header"),
            ("sends_aud", "perhaps"),
            ("accept", "json"),
            ("accept", "application/json\r\nX-Canary: 1"),
            ("client_id", "ours"),
        ],
    )
    def test_is_refused_and_changes_nothing(self, registration, column, text):
        with pytest.raises(ValidationError):
            overriding.override(registration, {"sends_state": "True", column: text}, actor=ACTOR, at=AT)
        row = ClientRegistration.objects.get()
        assert row.sends_state is None
        assert row.client_id == "holdfast"
        assert not AuditEvent.objects.filter(facts__action="overrides set").exists()

    @pytest.mark.parametrize(
        ("authentication", "placement"),
        [("client_secret_basic", "query"), ("client_secret_post", "query"), ("private_key_jwt", "query"),
         ("query", "body")],
    )  # fmt: skip
    def test_is_one_that_would_move_a_secret(self, registration, authentication, placement):
        ClientRegistration.objects.update(authentication=authentication)
        with pytest.raises(ValidationError):
            overriding.override(registration, {"token_parameters": placement}, actor=ACTOR, at=AT)


class TestEveryReader:
    def test_asks_the_one_place_that_puts_dialect_and_registration_together(self):
        """A dialect read around it would leave an override without effect; whose interface it is overrides nobody."""
        found = set()
        for path in sorted((env.ROOT / "apps").rglob("*.py")):
            nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
            of_interface = {
                id(node.value) for node in nodes if isinstance(node, ast.Attribute) and node.attr == "interface"
            }
            if any(_reads_a_dialect(node) and id(node) not in of_interface for node in nodes):
                found.add(str(path.relative_to(env.ROOT)))
        assert found == {"apps/directory/reaching.py"}

    def test_reads_none_of_the_columns_by_itself(self):
        reading = {
            f"{path.relative_to(env.ROOT)}: {node.attr}"
            for path in sorted((env.ROOT / "apps").rglob("*.py"))
            if "sandbox" not in path.parts
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Attribute)
            and node.attr in reaching.OVERRIDES
            and isinstance(node.value, ast.Name | ast.Attribute)
            and getattr(node.value, "id", getattr(node.value, "attr", "")) in {"registration", "row"}
        }
        assert reading == {"apps/directory/overriding.py: token_parameters"}


def _reads_a_dialect(node: ast.AST) -> bool:
    return isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id == "DIALECTS"
