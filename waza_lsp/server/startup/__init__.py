"""The start of the server, until the library takes over."""
