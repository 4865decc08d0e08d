"""What answers behind the server."""
