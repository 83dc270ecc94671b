"""The developer portal: request an application, see its credentials, add versions."""
