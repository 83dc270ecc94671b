"""The data behind the registration desk: from a provider we want to one that patients can link."""
