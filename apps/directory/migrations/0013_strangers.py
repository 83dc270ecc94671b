"""Endpoints that were switched off because nobody of ours knows their host say so."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("directory", "0012_sorting_words_in"),
    ]

    operations = [
        migrations.AddField(
            model_name="endpoint",
            name="is_stranger",
            field=models.BooleanField(
                db_default=False, default=False, editable=False, verbose_name="its host waits for a look"
            ),
        ),
    ]
