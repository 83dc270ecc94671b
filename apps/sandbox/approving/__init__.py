"""The administrator's desk: what developers asked for, approved or rejected (specification 1.2, 5.2.7)."""
