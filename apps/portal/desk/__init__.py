"""The registration desk: where staff take a provider from "we want it" to "patients can link it"."""
