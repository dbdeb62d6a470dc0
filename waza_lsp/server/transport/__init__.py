"""Messages between the editor and the server: framing, order, connection, protocol."""
