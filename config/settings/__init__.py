"""Settings: one base file, and one-screen files on top of it for each place Holdfast runs."""
