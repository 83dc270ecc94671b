"""The directory's migrations over existing rows: what staff entered, and secrets, stay as they are."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from apps.directory import migrations
from tests.directory.smart_deployment import AT
from tests.fixtures.migrating import Migrating, can_go_back

pytestmark = pytest.mark.django_db  # by which the database of tests is made, also where only these run

MIGRATIONS = Path(migrations.__file__).parent
SECRET, KEY = b"sealed secret", b"sealed private half"
RETIRED_AT = AT + timedelta(days=30)
BEFORE = (
    ("directory", "0003_discovery_tried_at"),
    ("connections", "0009_launches_of_a_browser"),
    ("records", "0003_finished_sync_runs"),
)
LABELS = ("directory", "connections", "records")


@pytest.fixture(scope="module")
def filled(migrating: Migrating) -> Migrating:
    """A directory in use: two providers, one endpoint for each, registrations, an enablement, two signing keys."""
    get_model = migrating.to(*BEFORE).get_model
    key, old = (_key(get_model, kid, retired_at=at) for kid, at in (("new", None), ("old", RETIRED_AT)))
    usual = _registration(get_model, "usual", source="configured", refresh_window_hours=48, minimum_refresh_seconds=0)
    _registration(get_model, "unusual", source="configured", refresh_window_hours=24, minimum_refresh_seconds=30)
    smart = _registration(
        get_model, "smart", source="discovered", refresh_window_hours=None, minimum_refresh_seconds=60, signing_key=key
    )
    _registration(
        get_model, "over", source="discovered", refresh_window_hours=48, minimum_refresh_seconds=0,
        signing_key=old, status="retired", is_switched_on=False, trouble="invalid_client", trouble_at=AT,
    )  # fmt: skip
    for name, registration in (("Saint Anne's Höspital", usual), ("Harbor Clinic", smart)):
        provider = get_model("directory", "Provider").objects.create(
            directory="tests", directory_id=name, name=name, city="Northfield", state="TX",
            website="https://www.lake-side.org/", search_words="old words", imported_at=AT,
        )  # fmt: skip
        endpoint = get_model("directory", "Endpoint").objects.create(
            fhir_base_url=f"https://fhir.example.org/{registration.label}", fhir_version="r4", imported_at=AT,
            interface="patient-access", dialect="patient-access", is_switched_on=name.startswith("S"),
            authorization_server=registration.authorization_server,
        )  # fmt: skip
        endpoint.providers.add(provider)
        get_model("directory", "Enablement").objects.create(
            registration=smart, endpoint=endpoint, since_at=AT, refused_at=AT, is_enabled=False
        )
    return migrating


def _key(get_model: Callable[..., Any], kid: str, *, retired_at: datetime | None) -> Any:
    return get_model("directory", "SigningKey").objects.create(
        kid=kid,
        algorithm="ES384",
        public_jwk={"kid": kid},
        sealed_private_jwk=KEY,
        created_at=AT,
        retired_at=retired_at,
    )


def _registration(get_model: Callable[..., Any], label: str, *, source: str, **columns: Any) -> Any:
    server = get_model("directory", "AuthorizationServer").objects.create(
        source=source,
        authorize_url=f"https://{label}.example.org/authorize",
        token_url=f"https://{label}.example.org/token",
        found_at=AT,
    )
    return get_model("directory", "ClientRegistration").objects.create(
        authorization_server=server,
        label=label,
        client_id=f"id of {label}",
        sealed_secret=SECRET,
        secret_set_at=AT,
        authentication="query",
        requested_at=AT,
        **{"status": "approved", **columns},
    )


@pytest.fixture(scope="module")
def rows(filled: Migrating) -> SimpleNamespace:
    """Every row by its model, as the latest migration leaves them."""
    models = filled.to_latest(*LABELS).get_app_config("directory").models
    return SimpleNamespace(**{name: model.objects for name, model in models.items()})


class TestTheDirectoryOfBefore:
    def test_keeps_every_registration_and_its_secret(self, rows):
        kept = {row.label: row for row in rows.clientregistration.all()}
        assert set(kept) == {"usual", "unusual", "smart", "over"}
        assert {bytes(row.sealed_secret) for row in kept.values()} == {SECRET}
        assert {row.client_id for row in kept.values()} == {f"id of {label}" for label in kept}
        over = kept.pop("over")
        assert (over.status, over.is_switched_on, over.trouble, over.trouble_at) == (
            "retired", False, "invalid_client", AT,
        )  # fmt: skip
        assert {(row.status, row.is_switched_on, row.trouble) for row in kept.values()} == {("approved", True, "")}

    def test_overrides_only_what_is_unusual(self, rows):
        kept = rows.clientregistration.values_list("label", "refresh_window_hours", "minimum_refresh_seconds")
        assert set(kept) == {
            ("usual", None, None), ("unusual", 24, 30), ("smart", None, None), ("over", 48, 0),
        }  # fmt: skip

    def test_keeps_the_private_half_of_a_key_in_use_alone(self, rows):
        new, old = (rows.signingkey.get(kid=kid) for kid in ("new", "old"))
        assert (bytes(new.sealed_private_jwk), new.signs_from_at, new.superseded_at) == (KEY, AT, None)
        assert (old.sealed_private_jwk, old.superseded_at, old.retired_at) == (None, RETIRED_AT, RETIRED_AT)

    def test_takes_providers_with_a_key_for_holders_of_a_copy(self, rows):
        fetching = rows.clientregistration.values_list("label", "signing_key__kid", "key_set_is_fetched")
        assert set(fetching) == {
            ("usual", None, True), ("unusual", None, True), ("smart", "new", False), ("over", "old", False),
        }  # fmt: skip

    def test_keeps_which_provider_has_which_endpoint(self, rows):
        pairs = rows.providerportal.values_list("provider__name", "endpoint__fhir_base_url", "name", "url")
        assert set(pairs) == {
            ("Saint Anne's Höspital", "https://fhir.example.org/usual", "", ""),
            ("Harbor Clinic", "https://fhir.example.org/smart", "", ""),
        }
        switched = rows.endpoint.values_list("providers__name", "is_switched_on", "switched_off_at")
        assert set(switched) == {("Saint Anne's Höspital", True, None), ("Harbor Clinic", False, None)}

    def test_keeps_what_organizations_enabled(self, rows):
        assert set(rows.enablement.values_list("registration__label", "is_enabled", "since_at", "refused_at")) == {
            ("smart", False, AT, AT)
        }
        assert rows.enablement.count() == 2

    def test_is_found_by_the_words_of_its_providers(self, rows):
        provider = rows.provider.get(name__startswith="Saint")
        assert provider.plain_name == "saint annes hospital"
        assert {"saint", "st", "annes", "anne", "hospital", "northfield", "tx", "texas", "lakeside"} <= set(
            provider.words
        )
        known = rows.wordneighbours.get(word="hospital")
        assert {"hospit", "hspita", "hopita", "hospta"} <= set(known.neighbours)


class TestTheMigrations:
    def test_run_no_code_that_may_be_renamed(self):
        """Models name validators, as Django writes them, and migrations name each other; nothing else of the product is
        imported."""
        lines = [line for path in MIGRATIONS.glob("*.py") for line in path.read_text().splitlines()]
        ours = {line.split()[1] for line in lines if line.startswith(("from apps.", "import apps."))}
        assert ours <= {
            "apps.directory.migrations", "apps.directory.models.limits", "apps.vault.migrations._indexes",
            "apps.vault.migrations._references",
        }  # fmt: skip


class TestGoingBack:
    @pytest.mark.parametrize("name", ["0007_key_rotation", "0008_registration_desk"])
    def test_is_refused_where_rows_were_emptied(self, name):
        assert not can_go_back("directory", name)
