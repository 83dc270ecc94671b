"""The indexes that 0014 to 0020 and the listing of links need, built while everybody goes on working."""

from django.db import migrations, models
from django.db.models import F, Q

from apps.vault.migrations._indexes import AddIndexBeside


def _index(model: str, name: str, condition: Q, *fields: str) -> AddIndexBeside:
    return AddIndexBeside(model_name=model, index=models.Index(condition=condition, fields=list(fields), name=name))


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("connections", "0022_every_registration_known")]

    operations = [
        _index(
            "storedtokenset", "refreshes_by_due_time", Q(refresh_due_at__isnull=False), "registration", "refresh_due_at"
        ),
        _index(
            "storedtokenset",
            "refreshes_by_deadline",
            Q(refresh_due_at__isnull=False),
            "registration",
            "refresh_deadline_at",
        ),
        _index("storedtokenset", "refreshes_parked", Q(parked_endpoint__isnull=False), "parked_endpoint"),
        _index("connection", "active_by_lapse", Q(lapses_at__isnull=False, status="active"), "lapses_at"),
        _index(
            "connection",
            "lapses_to_plan",
            Q(status="active", lapses_at__isnull=False) & ~Q(warnings_planned_for=F("lapses_at")),
            "id",
        ),
        _index(
            "connection",
            "ends_to_plan",
            Q(status="needs_reauthorization", reason_at__isnull=False) & ~Q(warnings_planned_for=F("reason_at")),
            "id",
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[migrations.RemoveIndex(model_name="storedtokenset", name="due_for_refresh")],
            database_operations=[
                migrations.RunSQL("DROP INDEX CONCURRENTLY IF EXISTS due_for_refresh", migrations.RunSQL.noop)
            ],
        ),
    ]
