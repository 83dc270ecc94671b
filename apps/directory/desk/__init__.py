"""What the registration desk keeps: from a provider we want to one that patients can link."""
