"""The steps of the drill, with the site's own code. Importing this sets Django up, because its modules use models."""

import django

django.setup()
