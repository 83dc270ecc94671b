"""Whose news is to be looked for, found without reading what everybody chose."""

from django.db import migrations, models

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False

    dependencies = [("accounts", "0005_news_by_mail")]

    operations = [
        AddIndexBeside(
            "warningchoices",
            models.Index(
                condition=models.Q(("tells_of_news", True)), fields=["news_due_at"], name="news_to_look_for"
            ),
        ),
    ]
