import uuid

import django.db.models.deletion
from django.db import migrations, models

import apps.directory.models.limits


def empty_what_is_usual(apps, schema_editor):
    """What only repeated its interface follows it from now on: an empty column overrides nothing."""
    ClientRegistration = apps.get_model("directory", "ClientRegistration")
    configured = ClientRegistration.objects.filter(authorization_server__source="configured")
    discovered = ClientRegistration.objects.filter(authorization_server__source="discovered")
    configured.filter(refresh_window_hours=48).update(refresh_window_hours=None)
    configured.filter(minimum_refresh_seconds=0).update(minimum_refresh_seconds=None)
    discovered.filter(minimum_refresh_seconds=60).update(minimum_refresh_seconds=None)
    # Rows updated twice wait with the checks of their foreign keys, and no index is made of a table that waits.
    schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ("directory", "0007_key_rotation"),
    ]

    operations = [
        migrations.AddField(
            model_name='clientregistration',
            name='accept',
            field=models.CharField(blank=True, max_length=100, validators=[apps.directory.models.limits.media_type], verbose_name='Accept header'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='application_id',
            field=models.CharField(blank=True, max_length=200, verbose_name='application id there'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='application_name',
            field=models.CharField(blank=True, max_length=120, verbose_name='application name there'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='assumed_lifetime_seconds',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[apps.directory.models.limits.Between(60, 86400)], verbose_name='token lifetime, seconds'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='desk_url',
            field=models.URLField(blank=True, max_length=1000, verbose_name='portal or console'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='developer_email',
            field=models.EmailField(blank=True, max_length=254, verbose_name='developer account'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='idle_limit_days',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[apps.directory.models.limits.Between(1, 3660)], verbose_name='idle limit, days'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='provisional_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='provisional'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='rejected_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='rejected'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='requests_per_minute',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[apps.directory.models.limits.Between(1, 600)], verbose_name='requests per minute'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='retired_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='retired'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='runs_at_once',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[apps.directory.models.limits.Between(1, 64)], verbose_name='copies at once'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='secret_rotation_due_date',
            field=models.DateField(blank=True, null=True, verbose_name='secret to be rotated by'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='sends_aud',
            field=models.BooleanField(blank=True, null=True, verbose_name='sends aud'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='support_contact',
            field=models.CharField(blank=True, max_length=300, verbose_name='whom to ask there'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='switched_off_at',
            field=models.DateTimeField(blank=True, editable=False, null=True, verbose_name='switched off'),
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='token_parameters',
            field=models.CharField(blank=True, choices=[('query', 'in the address'), ('body', 'in the body')], max_length=5, verbose_name='token parameters'),
        ),
        migrations.AlterField(
            model_name='clientregistration',
            name='minimum_refresh_seconds',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[apps.directory.models.limits.Between(1, 3600)], verbose_name='refresh interval, seconds'),
        ),
        migrations.AlterField(
            model_name='clientregistration',
            name='refresh_window_hours',
            field=models.PositiveIntegerField(blank=True, null=True, validators=[apps.directory.models.limits.Between(1, 8784)], verbose_name='refresh window, hours'),
        ),
        migrations.CreateModel(
            name='SystemAccount',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('account_id', models.CharField(blank=True, max_length=100, verbose_name='account id (GUID)')),
                ('status', models.CharField(choices=[('requested', 'requested'), ('approved', 'approved'), ('rejected', 'rejected')], default='requested', max_length=12, verbose_name='status')),
                ('description', models.CharField(max_length=300, verbose_name='description')),
                ('is_production', models.BooleanField(default=False, verbose_name='production system')),
                ('is_vendor_client', models.BooleanField(default=False, verbose_name="the vendor's own client")),
                ('client_name', models.CharField(blank=True, max_length=200, verbose_name='client name')),
                ('client_number', models.CharField(blank=True, max_length=60, verbose_name='client number')),
                ('client_mnemonic', models.CharField(blank=True, max_length=60, verbose_name='client mnemonic')),
                ('is_platform_system', models.BooleanField(default=False, verbose_name="a system of the vendor's platform")),
                ('requested_at', models.DateTimeField(verbose_name='requested')),
                ('approved_at', models.DateTimeField(blank=True, null=True, verbose_name='approved')),
                ('rejected_at', models.DateTimeField(blank=True, null=True, verbose_name='rejected')),
            ],
            options={
                'verbose_name': 'system account',
                'verbose_name_plural': 'system accounts',
                'constraints': [models.UniqueConstraint(condition=models.Q(('account_id', ''), _negated=True), fields=('account_id',), name='one_system_account_per_id')],
            },
        ),
        migrations.AddField(
            model_name='clientregistration',
            name='system_account',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='registrations', to='directory.systemaccount', verbose_name='system account'),
        ),
        migrations.AlterField(
            model_name='endpoint',
            name='is_switched_on',
            field=models.BooleanField(default=True, verbose_name='switched on'),
        ),
        # There is no way back: which rows repeated what is usual is not known any more.
        migrations.RunPython(empty_what_is_usual),
    ]
