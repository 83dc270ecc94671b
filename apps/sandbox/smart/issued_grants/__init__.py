"""Grants after they were given: looked into by their application, given back by it, taken back by the patient."""
