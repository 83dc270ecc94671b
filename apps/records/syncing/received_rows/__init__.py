"""What becomes of the rows received: whose they are, how they are stored, and what to conclude if rows are missing."""
