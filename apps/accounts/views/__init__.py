"""Pages about the person signed in: settings, language, the privacy notice, help."""
