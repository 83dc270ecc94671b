"""Grants after they were issued: introspected and revoked by their application, removed by the patient."""
