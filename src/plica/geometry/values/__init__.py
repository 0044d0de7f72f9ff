"""The numbers an engine carries: tensors with error bounds, deferred layers, safe ranges, equal entries, dyadic rows."""
