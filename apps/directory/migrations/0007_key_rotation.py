from django.db import migrations, models
from django.db.models import F, Q


def complete(apps, schema_editor):
    """Keys that were there before sign already; those retired lose their private half. No address of our key set was
    known until now: whoever has a key of ours got a copy of it."""
    keys = apps.get_model("directory", "SigningKey").objects
    keys.update(signs_from_at=F("created_at"))
    keys.filter(retired_at__isnull=False).update(superseded_at=F("retired_at"), sealed_private_jwk=None)
    registrations = apps.get_model("directory", "ClientRegistration").objects
    registrations.filter(signing_key__isnull=False).update(key_set_is_fetched=False)


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0006_searching"),
    ]

    operations = [
        migrations.AddField("clientregistration", "key_set_is_fetched", models.BooleanField(default=True, help_text="The provider reads our key set at its address. Off: it holds a copy that staff uploaded.", verbose_name="fetches our key set")),
        migrations.AddField("signingkey", "signs_from_at", models.DateTimeField(editable=False, null=True, verbose_name="signs from")),
        migrations.AddField("signingkey", "superseded_at", models.DateTimeField(blank=True, editable=False, null=True, verbose_name="superseded")),
        migrations.AlterField("signingkey", "created_at", models.DateTimeField(editable=False, verbose_name="made and published")),
        migrations.AlterField("signingkey", "sealed_private_jwk", models.BinaryField(null=True)),
        # There is no way back: private halves of retired keys are gone, and before nothing could be without one.
        migrations.RunPython(complete),
        migrations.AlterField("signingkey", "signs_from_at", models.DateTimeField(editable=False, verbose_name="signs from")),
        migrations.AddConstraint("signingkey", models.CheckConstraint(condition=Q(("retired_at__isnull", True), ("sealed_private_jwk__isnull", False)) | Q(("retired_at__isnull", False), ("sealed_private_jwk__isnull", True)), name="signing_key_has_a_private_half_until_it_is_retired")),
    ]
