from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0007_key_rotation"),
    ]

    operations = []
