"""What turns the chapters into notebooks, a checked site and a running server."""
