from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0004_provider_portals"),
    ]

    operations = []
