"""Let the database itself refuse to change or remove what happened.

One statement-level trigger, so that even an UPDATE that matches nothing is refused. A test runner empties tables with
TRUNCATE between tests that commit; the test settings allow it by a connection option
(`-c holdfast.audit_may_be_truncated=on`), and nothing else sets it. Whoever owns the table can still drop the trigger:
docs/security.md says which role should own it.
"""

from django.db import migrations

ADD = """
CREATE FUNCTION audit_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'TRUNCATE' AND current_setting('holdfast.audit_may_be_truncated', true) = 'on' THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'Audit events are only ever added.' USING ERRCODE = 'integrity_constraint_violation';
END
$$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_auditevent
    FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_change();
"""

REMOVE = """
DROP TRIGGER audit_append_only ON audit_auditevent;
DROP FUNCTION audit_refuse_change();
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [migrations.RunSQL(ADD, REMOVE)]
