import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0009_published_lists"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="WantedProvider",
            fields=[],
            options={
                "verbose_name": "provider that patients asked for",
                "verbose_name_plural": "providers that patients asked for",
                "proxy": True,
                "indexes": [],
                "constraints": [],
            },
            bases=("directory.provider",),
        ),
        migrations.CreateModel(
            name="Wish",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(blank=True, max_length=200)),
                ("city", models.CharField(blank=True, max_length=100)),
                ("created_at", models.DateTimeField()),
                ("provider", models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name="wishes", to="directory.provider")),
                ("user", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="wishes", to=settings.AUTH_USER_MODEL)),
            ],
            options={
                "verbose_name": "wish",
                "verbose_name_plural": "wishes",
                "constraints": [
                    models.UniqueConstraint(fields=("user", "provider"), name="one_wish_per_user_and_provider"),
                    models.UniqueConstraint(condition=Q(("provider__isnull", True)), fields=("user", "name", "city"), name="one_wish_per_user_and_name"),
                    models.CheckConstraint(
                        condition=models.Q(models.Q(("city", ""), ("name", ""), ("provider__isnull", False)), models.Q(("provider__isnull", True), models.Q(("name", ""), _negated=True)), _connector="OR"),
                        name="a_wish_names_one_provider",
                    ),
                ],
            },
        ),
    ]
