"""Addresses of the connections app.

`connect/return/` is registered with providers: `directory.registering.redirect_uri` writes the same path, and it may
never change.
"""

from django.urls import URLPattern, URLResolver, include, path

from apps.connections.views import connections, leaving, way_back

connect_urls = [
    path("return/<uuid:redirect_id>/", way_back.come_back, name="return"),
    path("answer/<slug:outcome>/", way_back.answer, name="answer"),
    path("attempts/<uuid:request_id>/", leaving.attempt, name="attempt"),
    path("<uuid:provider_id>/<uuid:endpoint_id>/", leaving.before_you_go, name="before-you-go"),
]

connection_urls = [
    path("", connections.show_list, name="connections"),
    path("<uuid:connection_id>/", connections.show_one, name="connection"),
    path("<uuid:connection_id>/sign-in/", leaving.reauthorize, name="reauthorize"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("connect/", include(connect_urls)),
    path("connections/", include(connection_urls)),
]
