"""Whether an authorization server replaces refresh tokens: unknown until a refresh has shown it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("directory", "0015_wishes_by_name")]

    operations = [
        migrations.AddField(
            model_name="clientregistration",
            name="rotates_refresh_tokens",
            field=models.BooleanField(
                blank=True,
                editable=False,
                help_text="Seen, not set.",
                null=True,
                verbose_name="replaces refresh tokens",
            ),
        ),
        migrations.AddField(
            model_name="clientregistration",
            name="rotation_seen_at",
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name="seen"),
        ),
    ]
