"""The ledger: every checkable statement of the lecture beside the code that decides it."""
