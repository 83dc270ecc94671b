"""OAuth, SMART and FHIR over HTTP: what the far end is asked and how its answers are read.

Knows neither Django nor our models. Every answer that leaves this package is a frozen dataclass, every failure a
`WireError` that says who must act, and every credential a `Secret`.
"""
