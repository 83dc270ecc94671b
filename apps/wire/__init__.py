"""OAuth, SMART and FHIR over HTTP: how providers' servers are asked, and how their answers are read.

It knows neither Django nor our models. It returns answers as frozen dataclasses and credentials as `Secret`, and raises
failures as a `WireError` that says who must act.
"""
