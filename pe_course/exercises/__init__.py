"""Self-tests that know the mistake: one definition for the page, the notebook and the tests."""
