from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0006_searching"),
    ]

    operations = []
