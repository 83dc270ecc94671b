"""The one address of the mailbox."""

from django.urls import path

from development.mailbox import views

urlpatterns = [path("", views.mailbox, name="mailbox")]
