"""URLs of the directory app."""

from django.urls import URLPattern, URLResolver, path

from apps.directory.views import key_set, providers, wishes

urlpatterns: list[URLPattern | URLResolver] = [
    path(".well-known/jwks.json", key_set.key_set, name="key-set"),
    path("providers/", providers.find, name="find-provider"),
    path("providers/not-in-the-list/", wishes.wish_by_name, name="wish-by-name"),
    path("providers/wishes/", wishes.wish, name="wish"),
    path("providers/wishes/<uuid:wish_id>/take-back/", wishes.take_back, name="take-back-wish"),
    path("providers/<uuid:provider_id>/", providers.choose_version, name="choose-version"),
    path("providers/<uuid:provider_id>/all/", providers.one_by_one, name="one-by-one"),
]
