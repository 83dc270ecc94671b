from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0005_endpoint_checks"),
    ]

    operations = []
