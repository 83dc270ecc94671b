"""Ids of patients longer than FHIR allows, as some servers send them. Postgres notes the new length and rewrites
nothing."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("connections", "0028_endpoint_silence")]

    operations = [
        migrations.AlterField("connection", "fhir_patient_id", models.CharField(blank=True, max_length=256)),
    ]
