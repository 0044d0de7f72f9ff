"""What is learned, and what training does to the geometry."""
