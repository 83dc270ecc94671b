"""Addresses of the records app."""

from django.urls import URLPattern, URLResolver, include, path

from apps.records.views import card, connection, entry, search, whole

record_urls = [
    path("", connection.show_record, name="record"),
    path("progress/", connection.show_progress, name="record_progress"),
    path("check/", connection.check_again, name="check_again"),
]

whole_urls = [
    path("", whole.show_whole_record, name="whole_record"),
    path("search/", search.search_record, name="search_record"),
    path("by-date/", whole.show_everything, name="everything_by_date"),
    path("new/", whole.show_what_is_new, name="what_is_new"),
    path("card/", card.show_card, name="card_to_carry"),
    path("<slug:subject_key>/", whole.show_subject, name="subject"),
    path("<slug:subject_key>/<int:record_pk>/", entry.show_entry, name="entry"),
    path("<slug:subject_key>/<int:record_pk>/as-sent/", entry.show_as_sent, name="entry_as_sent"),
    path("<slug:subject_key>/<int:record_pk>/over-time/", entry.show_over_time, name="over_time"),
    path(
        "<slug:subject_key>/<int:record_pk>/over-time/values.csv",
        entry.show_over_time,
        {"is_file": True},
        name="save_values",
    ),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("download/", include("apps.records.exporting.urls")),
    path("record/files/", include("apps.records.attachments.urls")),
    path("record/", include(whole_urls)),
    path("connections/<uuid:connection_id>/record/", include(record_urls)),
]
