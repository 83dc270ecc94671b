"""Bulk export of a group's records from interface B: kick-off, status, files, deletion (interface facts 4.3; X69)."""
