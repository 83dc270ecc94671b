"""What needs several apps: home, confirm and start, the ways back, errors."""
