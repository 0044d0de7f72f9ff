"""What attention computes."""
