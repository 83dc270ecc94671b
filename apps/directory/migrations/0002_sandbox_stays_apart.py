"""A sandbox endpoint cannot pair with a production authorization server, nor a registration with the other kind (C73).

A foreign key over both columns says so in the database. It is checked when the transaction ends, so that all rows of
one authorization server can change together.
"""

from django.db import migrations

TABLES = ("directory_endpoint", "directory_clientregistration")

ADD = [
    "ALTER TABLE directory_authorizationserver ADD CONSTRAINT id_and_sandbox UNIQUE (id, is_sandbox)",
    *(
        f"ALTER TABLE {table} ADD CONSTRAINT {table}_sandbox_stays_apart"
        " FOREIGN KEY (authorization_server_id, is_sandbox)"
        " REFERENCES directory_authorizationserver (id, is_sandbox) DEFERRABLE INITIALLY DEFERRED"
        for table in TABLES
    ),
]
DROP = [
    *(f"ALTER TABLE {table} DROP CONSTRAINT {table}_sandbox_stays_apart" for table in TABLES),
    "ALTER TABLE directory_authorizationserver DROP CONSTRAINT id_and_sandbox",
]


class Migration(migrations.Migration):
    dependencies = [("directory", "0001_initial")]

    operations = [migrations.RunSQL(ADD, DROP)]
