from django.db import migrations


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0008_registration_desk"),
    ]

    operations = []
