"""What wide random networks do to lengths, angles and gradients."""
