import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0003_discovery_tried_at"),
    ]

    operations = [
        # The table that joined providers and endpoints by itself gets a name, and columns of its own.
        migrations.SeparateDatabaseAndState(
            database_operations=[
                migrations.RunSQL(
                    "ALTER TABLE directory_endpoint_providers RENAME TO directory_providerportal",
                    "ALTER TABLE directory_providerportal RENAME TO directory_endpoint_providers",
                ),
            ],
            state_operations=[
                migrations.CreateModel(
                    name="ProviderPortal",
                    fields=[
                        ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                        ("endpoint", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="portals", to="directory.endpoint", verbose_name="endpoint")),
                        ("provider", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="portals", to="directory.provider", verbose_name="provider")),
                    ],
                    options={"verbose_name": "patient portal", "verbose_name_plural": "patient portals"},
                ),
                migrations.AlterField(
                    model_name="endpoint",
                    name="providers",
                    field=models.ManyToManyField(related_name="endpoints", through="directory.ProviderPortal", to="directory.provider", verbose_name="providers"),
                ),
            ],
        ),
        migrations.AddField("providerportal", "name", models.CharField(blank=True, default="", max_length=200, verbose_name="name of the patient portal"), preserve_default=False),
        migrations.AddField("providerportal", "url", models.URLField(blank=True, default="", max_length=500, verbose_name="address of the patient portal"), preserve_default=False),
        migrations.AddConstraint("providerportal", models.UniqueConstraint(fields=("provider", "endpoint"), name="one_portal_per_pair")),
        migrations.AddField("endpoint", "switched_off_at", models.DateTimeField(blank=True, editable=False, null=True, verbose_name="switched off")),
        migrations.AddField("provider", "aliases", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=200), blank=True, default=list, size=None, verbose_name="other names")),
        migrations.AddField("provider", "part_of", models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="sites", to="directory.provider", verbose_name="part of")),
        migrations.AddField("provider", "postal_code", models.CharField(blank=True, default="", max_length=20, verbose_name="postal code"), preserve_default=False),
        migrations.AddField("provider", "plain_name", models.CharField(default="", editable=False, max_length=200)),
        migrations.AddField("provider", "words", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=60), default=list, editable=False, size=None)),
    ]
