"""Addresses of the portal app."""

from django.urls import URLPattern, URLResolver, include, path

from apps.portal.views import activity, closing, confirm, disconnecting, home, metrics, people

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home.show_home, name="home"),
    path("connections/<uuid:connection_id>/confirm/", confirm.confirm, name="confirm"),
    path("connections/<uuid:connection_id>/disconnect/", disconnecting.disconnect, name="disconnect"),
    path("connections/<uuid:connection_id>/record/delete/", disconnecting.delete_copy, name="delete_copy"),
    path("settings/close/", closing.close_account, name="close_account"),
    path("desk/", include("apps.portal.desk.urls")),
    path("activity/", activity.show_activity, name="activity"),
    path("activity/save/", activity.save_activity, name="save_activity"),
    path("activity/<uuid:connection_id>/renewals/", activity.show_renewals, name="renewals"),
    path("people/", people.show_people, name="people"),
    path("metrics", metrics.show, name="metrics"),
]
