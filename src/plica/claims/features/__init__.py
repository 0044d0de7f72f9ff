"""What networks see: wavelets and learned filters, what a unit wants, units with a meaning."""
