"""Whether a person wants mail about what is new in their record, and until when they were told."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0004_user_asks_before_sensitive")]

    operations = [
        migrations.AddField(
            model_name="warningchoices",
            name="tells_of_news",
            field=models.BooleanField(
                db_default=False, default=False, verbose_name="when something new came into my record"
            ),
        ),
        migrations.AddField(
            model_name="warningchoices", name="news_due_at", field=models.DateTimeField(null=True)
        ),
        migrations.AddField(
            model_name="warningchoices", name="news_told_until", field=models.DateTimeField(null=True)
        ),
    ]
