"""Speed, measured side by side in one run. Never part of a test: a ratio between two libraries has no verdict."""
