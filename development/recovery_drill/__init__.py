"""The drill's story, told with the site's own code. Importing this sets Django up: its modules use models."""

import django

django.setup()
