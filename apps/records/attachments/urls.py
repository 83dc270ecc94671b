"""Addresses of the files of a record."""

from django.urls import path

from apps.records.attachments import views

urlpatterns = [
    path("<int:record_pk>/<int:number>/", views.show_file, name="file"),
    path("<int:record_pk>/<int:number>/save/", views.save_file, name="save_file"),
    path("<int:record_pk>/<int:number>/pictures/<int:picture>/", views.save_picture, name="save_picture"),
]
