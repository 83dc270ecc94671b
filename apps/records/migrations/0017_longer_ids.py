"""Ids longer than FHIR allows, as some servers send them. Postgres notes the new length and rewrites nothing."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("records", "0016_reads_owed")]

    operations = [
        migrations.AlterField("record", "logical_id", models.CharField(max_length=256)),
        migrations.AlterField("pendingread", "logical_id", models.CharField(max_length=256)),
    ]
