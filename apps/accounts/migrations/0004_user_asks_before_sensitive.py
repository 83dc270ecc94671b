"""Whether a person wants to be asked before a page shows what may contain sensitive news."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0003_warning_choices")]

    operations = [
        migrations.AddField(
            model_name="user",
            name="asks_before_sensitive",
            field=models.BooleanField(
                db_default=True, default=True, verbose_name="is asked before sensitive news"
            ),
        ),
    ]
