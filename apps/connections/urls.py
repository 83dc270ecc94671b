"""URLs of the connections app.

`connect/return/` and `connect/launch/` are registered with providers. `directory.registering` builds the same paths,
and they must never change.
"""

from django.urls import URLPattern, URLResolver, include, path

from apps.connections.views import authorization_requests, callback, connections, launches

connect_urls = [
    path("return/<uuid:redirect_id>/", callback.come_back, name="return"),
    path("answer/<slug:outcome>/", callback.answer, name="answer"),
    path("attempts/<uuid:request_id>/", authorization_requests.attempt, name="attempt"),
    path("launch/<uuid:launch_id>/", launches.launch, name="launch"),
    path("launches/<uuid:pending_id>/", launches.launched, name="launched"),
    path("launches/<slug:why>/", launches.refused, name="launch-refused"),
    path("<uuid:provider_id>/<uuid:endpoint_id>/", authorization_requests.before_you_go, name="before-you-go"),
]

connection_urls = [
    path("", connections.show_list, name="connections"),
    path("<uuid:connection_id>/", connections.show_one, name="connection"),
    path("<uuid:connection_id>/sign-in/", authorization_requests.reauthorize, name="reauthorize"),
    path("<uuid:connection_id>/mute/", connections.mute, name="mute"),
    path("<uuid:connection_id>/sharing/", authorization_requests.change_sharing, name="change-sharing"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("connect/", include(connect_urls)),
    path("connections/", include(connection_urls)),
]
