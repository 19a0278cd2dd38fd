"""The self-tests, one module per subject."""
