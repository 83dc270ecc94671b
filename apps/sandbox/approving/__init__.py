"""The administrator's desk: approve or reject what developers requested (specification 1.2, 5.2.7)."""
