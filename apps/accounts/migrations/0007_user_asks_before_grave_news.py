"""The choice to be asked before sensitive news has another name in the code; its column keeps the old one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0006_news_to_look_for")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("user", "asks_before_sensitive", "asks_before_grave_news"),
                migrations.AlterField(
                    "user",
                    "asks_before_grave_news",
                    models.BooleanField(
                        db_column="asks_before_sensitive",
                        db_default=True,
                        default=True,
                        verbose_name="is asked before sensitive news",
                    ),
                ),
            ],
        ),
    ]
