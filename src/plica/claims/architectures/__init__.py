"""What architectures learn: translation, language, images, graphs, sets."""
