"""Developers and their system accounts, which hold the credentials of applications of interface B from now on."""

import uuid

import django.db.models.deletion
from django.db import migrations, models


def give_accounts(apps, schema_editor):
    """Every application that has credentials gets an approved system account that holds them."""
    accounts = apps.get_model("sandbox", "SystemAccount")
    for row in apps.get_model("sandbox", "SmartApplication").objects.all():
        if row.client_type == "public" and not row.secret_sha256:
            continue
        account = accounts.objects.create(
            description="Holds the credentials of an application that was installed over the control address.",
            client_name=row.name,
            kind="key" if row.authentication == "private_key_jwt" else "secret",
            secret_sha256=row.secret_sha256,
            jwks=row.jwks,
            jwks_url=row.jwks_url,
            status="approved",
            requested_at=row.requested_at,
        )
        row.guid = account.client_id
        row.save(update_fields=["guid"])


class Migration(migrations.Migration):
    dependencies = [
        ("sandbox", "0002_smart"),
    ]

    operations = [
        migrations.CreateModel(
            name="Developer",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("email", models.EmailField(max_length=254, unique=True)),
                ("signed_up_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="application",
            name="decided_at",
            field=models.DateTimeField(blank=True, editable=False, null=True),
        ),
        migrations.AddField(
            model_name="application",
            name="decision",
            field=models.CharField(blank=True, editable=False, max_length=400),
        ),
        migrations.AddField(
            model_name="smartapplication",
            name="guid",
            field=models.UUIDField(blank=True, help_text="The id of its system account.", null=True),
        ),
        migrations.AddField(
            model_name="smartapplication",
            name="support_contact",
            field=models.EmailField(blank=True, max_length=254),
        ),
        migrations.AlterField(
            model_name="application",
            name="status",
            field=models.CharField(
                choices=[
                    ("requested", "Requested: no credentials yet"),
                    ("provisional", "Provisional: credentials exist and do not work yet"),
                    ("approved", "Approved: credentials work"),
                    ("rejected", "Rejected: credentials will never work"),
                    ("retired", "Retired: credentials never work again"),
                ],
                default="requested",
                editable=False,
                max_length=12,
            ),
        ),
        migrations.AlterField(
            model_name="smartapplication",
            name="status",
            field=models.CharField(
                choices=[
                    ("requested", "Requested: no credentials yet"),
                    ("provisional", "Provisional: credentials exist and do not work yet"),
                    ("approved", "Approved: credentials work"),
                    ("rejected", "Rejected: credentials will never work"),
                    ("retired", "Retired: credentials never work again"),
                ],
                default="approved",
                editable=False,
                max_length=12,
            ),
        ),
        migrations.AddField(
            model_name="application",
            name="developer",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                to="sandbox.developer",
            ),
        ),
        migrations.AddField(
            model_name="smartapplication",
            name="developer",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                to="sandbox.developer",
            ),
        ),
        migrations.CreateModel(
            name="SystemAccount",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("requested_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("decision", models.CharField(blank=True, editable=False, max_length=400)),
                ("description", models.CharField(max_length=400)),
                ("is_production_system", models.BooleanField(default=False)),
                (
                    "is_vendor_client",
                    models.BooleanField(default=False, help_text="A client of the vendor of this server itself."),
                ),
                ("client_name", models.CharField(max_length=120)),
                ("client_number", models.CharField(blank=True, max_length=40)),
                ("client_mnemonic", models.CharField(blank=True, max_length=40)),
                ("is_millennium_system", models.BooleanField(default=False)),
                (
                    "kind",
                    models.CharField(
                        choices=[("secret", "A secret"), ("key", "Keys, of which it registers the public halves")],
                        default="secret",
                        max_length=6,
                    ),
                ),
                ("client_id", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                ("secret_sha256", models.CharField(blank=True, editable=False, max_length=64)),
                ("secret_made_at", models.DateTimeField(blank=True, editable=False, null=True)),
                ("jwks", models.JSONField(blank=True, help_text="Its public keys, as a JSON Web Key Set.", null=True)),
                (
                    "jwks_url",
                    models.TextField(blank=True, help_text="Where it publishes its keys. Asked only on this machine."),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("requested", "Requested: waits for an administrator"),
                            ("approved", "Approved: its id and credentials work"),
                            ("rejected", "Rejected: it was not created"),
                            ("retired", "Retired: its credentials never work again"),
                        ],
                        default="requested",
                        editable=False,
                        max_length=12,
                    ),
                ),
                (
                    "developer",
                    models.ForeignKey(
                        blank=True,
                        editable=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        to="sandbox.developer",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        # There is no way back: secrets and keys move to the accounts, and the columns that held them go.
        migrations.RunPython(give_accounts),
        migrations.RemoveField(
            model_name="smartapplication",
            name="jwks",
        ),
        migrations.RemoveField(
            model_name="smartapplication",
            name="jwks_url",
        ),
        migrations.RemoveField(
            model_name="smartapplication",
            name="secret_sha256",
        ),
    ]
