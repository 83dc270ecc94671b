"""Find endpoints that moved and await staff among tens of thousands that did not."""

from django.db import migrations, models

from apps.vault.migrations._indexes import AddIndexBeside


class Migration(migrations.Migration):
    atomic = False  # the index is built while the site goes on

    dependencies = [("directory", "0033_known_origins")]

    operations = [
        AddIndexBeside(
            model_name="endpoint",
            index=models.Index(
                fields=["authorization_server"],
                condition=~models.Q(named_token_url=""),
                name="endpoints_that_await",
            ),
        ),
    ]
