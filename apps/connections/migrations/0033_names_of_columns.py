"""What staff read above columns and beside fields, so that it has a Spanish. Django alone notices: no SQL."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("connections", "0032_refused_data"),
        ("directory", "0030_names_of_columns"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AlterField(
            model_name="authorizationrequest",
            name="claimed_at",
            field=models.DateTimeField(null=True, verbose_name="came back"),
        ),
        migrations.AlterField(
            model_name="authorizationrequest",
            name="created_at",
            field=models.DateTimeField(verbose_name="begun"),
        ),
        migrations.AlterField(
            model_name="authorizationrequest",
            name="endpoint",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="directory.endpoint",
                verbose_name="endpoint",
            ),
        ),
        migrations.AlterField(
            model_name="authorizationrequest",
            name="is_reauthorization",
            field=models.BooleanField(default=False, verbose_name="reauthorization"),
        ),
        migrations.AlterField(
            model_name="authorizationrequest",
            name="left_at",
            field=models.DateTimeField(null=True, verbose_name="left for the provider"),
        ),
        migrations.AlterField(
            model_name="authorizationrequest",
            name="outcome",
            field=models.CharField(
                blank=True,
                choices=[
                    ("completed", "completed"),
                    ("confirmed", "completed and confirmed"),
                    ("already_connected", "renewed a connection there was"),
                    ("declined", "not the right person"),
                    ("unconfirmed", "not confirmed in time"),
                    ("cancelled", "cancelled or denied"),
                    ("denied_by_provider", "denied by the provider"),
                    ("expired", "expired"),
                    ("closed", "closed by the patient for another"),
                    ("provider_down", "provider not answering"),
                    ("code_refused", "code refused"),
                    ("registration_broken", "our registration is not accepted"),
                    ("switched_off", "switched off meanwhile"),
                    ("not_enabled", "not enabled by the organization"),
                    ("request_refused", "our request was not accepted"),
                    ("no_person", "no person found"),
                    ("wrong_person", "another person than before"),
                    ("wrong_issuer", "answered by somebody else"),
                    ("unreadable", "an answer we could not read"),
                    ("nothing_shared", "too little was shared to say whose record it is"),
                    ("address_doubted", "not where its addresses say"),
                    ("identity_refused", "a proof of who signed in that does not hold"),
                    ("forged", "an answer we did not ask for"),
                    ("other_browser", "other browser"),
                    ("other_account", "somebody else is signed in"),
                    ("used_twice", "answered before"),
                    ("account_closed", "account closed meanwhile"),
                ],
                max_length=24,
                verbose_name="outcome",
            ),
        ),
        migrations.AlterField(
            model_name="authorizationrequest",
            name="provider",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="directory.provider",
                verbose_name="provider",
            ),
        ),
        migrations.AlterField(
            model_name="authorizationrequest",
            name="registration",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to="directory.clientregistration",
                verbose_name="client registration",
            ),
        ),
        migrations.AlterField(
            model_name="authorizationrequest",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="authorization_requests",
                to=settings.AUTH_USER_MODEL,
                verbose_name="user",
            ),
        ),
        migrations.AlterField(
            model_name="connection",
            name="confirm_by_at",
            field=models.DateTimeField(null=True, verbose_name="to be confirmed by"),
        ),
        migrations.AlterField(
            model_name="connection",
            name="confirmed_at",
            field=models.DateTimeField(null=True, verbose_name="confirmed"),
        ),
        migrations.AlterField(
            model_name="connection",
            name="created_at",
            field=models.DateTimeField(verbose_name="made"),
        ),
        migrations.AlterField(
            model_name="connection",
            name="ended_at",
            field=models.DateTimeField(null=True, verbose_name="ended"),
        ),
        migrations.AlterField(
            model_name="connection",
            name="endpoint",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="connections",
                to="directory.endpoint",
                verbose_name="endpoint",
            ),
        ),
        migrations.AlterField(
            model_name="connection",
            name="last_checked_at",
            field=models.DateTimeField(null=True, verbose_name="last checked"),
        ),
        migrations.AlterField(
            model_name="connection",
            name="provider",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT,
                related_name="connections",
                to="directory.provider",
                verbose_name="provider",
            ),
        ),
        migrations.AlterField(
            model_name="connection",
            name="reason",
            field=models.CharField(
                blank=True,
                choices=[
                    ("grant_ended", "the provider ended the permission"),
                    ("data_refused", "the provider does not open the record"),
                    ("window_over", "the provider's time limit passed"),
                    ("not_renewable", "the provider gave no means to renew"),
                    ("session_over", "the session at the provider ended"),
                    ("idle_limit_over", "the permission rested too long"),
                    ("earlier_copy", "refused after a backup was restored"),
                ],
                max_length=40,
                verbose_name="reason",
            ),
        ),
        migrations.AlterField(
            model_name="connection",
            name="reason_at",
            field=models.DateTimeField(null=True, verbose_name="reason since"),
        ),
        migrations.AlterField(
            model_name="connection",
            name="registration",
            field=models.ForeignKey(
                db_index=False,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="connections",
                to="directory.clientregistration",
                verbose_name="client registration",
            ),
        ),
        migrations.AlterField(
            model_name="connection",
            name="status",
            field=models.CharField(
                choices=[
                    ("awaiting_confirmation", "awaiting confirmation"),
                    ("active", "active"),
                    ("needs_reauthorization", "needs reauthorization"),
                    ("ended", "ended"),
                    ("disconnected", "disconnected"),
                ],
                default="awaiting_confirmation",
                max_length=24,
                verbose_name="status",
            ),
        ),
        migrations.AlterField(
            model_name="connection",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE,
                related_name="connections",
                to=settings.AUTH_USER_MODEL,
                verbose_name="user",
            ),
        ),
    ]
