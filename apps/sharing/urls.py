"""Addresses of sharing. Links that were given away begin with `shared/`: they never change."""

from django.urls import include, path

from apps.sharing.views import owner, program, visitor, visitor_files

own_urls = [
    path("", owner.show_shares, name="shares"),
    path("new/", owner.make_share, name="make_share"),
    path("<uuid:share_id>/", owner.show_share, name="share"),
    path("<uuid:share_id>/link/", owner.show_link, name="share_link"),
    path("<uuid:share_id>/end/", owner.end_share, name="end_share"),
    path("<uuid:share_id>/preview/", owner.preview_share, name="preview_share"),
]

given_urls = [
    path("", visitor.show_shared, name="shared"),
    path("leave/", visitor.leave, name="leave_shared"),
    path("m", program.show_manifest, name="shared_manifest"),  # short: the whole address may have 128 characters
    path("files/<str:ticket>", program.show_file, name="shared_file"),
    path("entry-files/<str:ticket>/", visitor_files.show_file, name="shared_entry_file"),
    path("entry-files/<str:ticket>/save/", visitor_files.save_file, name="save_shared_entry_file"),
    path("entry-files/<str:ticket>/pictures/<int:picture>/", visitor_files.save_picture, name="save_shared_picture"),
]

urlpatterns = [
    path("share/", include(own_urls)),
    path("shared/<str:token>/", include(given_urls)),
]
