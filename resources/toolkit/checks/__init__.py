"""What a model is tried by beside its samples."""
