"""What networks approximate, and how well."""
