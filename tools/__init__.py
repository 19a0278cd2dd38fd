"""What turns the chapters into pages, notebooks and checks."""
