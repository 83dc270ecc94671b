from django.db import migrations, models
from django.db.models.functions import Lower


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0008_registration_desk"),
    ]

    operations = [
        migrations.CreateModel(
            name="PublishedList",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("directory", models.CharField(max_length=120, verbose_name="directory it came from")),
                ("name", models.CharField(max_length=200, verbose_name="who publishes it")),
                ("url", models.URLField(max_length=500, verbose_name="address")),
                ("file_name", models.CharField(blank=True, max_length=200, verbose_name="name of the file")),
                ("imported_at", models.DateTimeField(verbose_name="last changed by an import")),
                ("vanished_at", models.DateTimeField(blank=True, null=True, verbose_name="vanished from its directory")),
            ],
            options={
                "verbose_name": "where a list is published",
                "verbose_name_plural": "where lists are published",
            },
        ),
        migrations.AddConstraint("publishedlist", models.UniqueConstraint(fields=("directory", "name", "url"), name="one_row_per_published_list")),
        migrations.AlterField("endpoint", "imported_at", models.DateTimeField(verbose_name="last changed by an import")),
        migrations.AlterField("provider", "imported_at", models.DateTimeField(verbose_name="last changed by an import")),
        migrations.AddIndex("endpoint", models.Index(Lower(models.Func("fhir_base_url", models.Value("/"), function="rtrim")), name="endpoint_alike")),
    ]
