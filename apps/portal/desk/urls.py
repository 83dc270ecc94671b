"""Addresses of the registration desk, below `desk/`."""

from django.urls import URLPattern, URLResolver, path

from apps.portal.desk import host_review, moves, overview, registrations, starting, systems, trials

urlpatterns: list[URLPattern | URLResolver] = [
    path("", overview.show_overview, name="desk"),
    path("start/", starting.find, name="desk-start"),
    path("start/<uuid:endpoint_id>/", starting.begin, name="desk-begin"),
    path("start/<uuid:endpoint_id>/addresses/", starting.name_addresses, name="desk-addresses"),
    path("endpoints/<uuid:endpoint_id>/look/", host_review.look, name="desk-look"),
    path("endpoints/<uuid:endpoint_id>/move/", moves.look, name="desk-move"),
    path("registrations/<uuid:registration_id>/", registrations.show, name="desk-registration"),
    path("registrations/<uuid:registration_id>/<slug:step>/", registrations.take, name="desk-step"),
    path("registrations/<uuid:registration_id>/try/out/", trials.try_out, name="desk-try"),
    path("registrations/<uuid:registration_id>/try/system/", systems.try_out, name="desk-try-system"),
    path("trials/<uuid:trial_id>/", trials.show_trial, name="desk-trial"),
    path("trials/<uuid:trial_id>/sign-in/", trials.sign_in, name="desk-trial-sign-in"),
    path("trials/<uuid:trial_id>/issuer/", trials.allow_issuer, name="desk-trial-issuer"),
]
