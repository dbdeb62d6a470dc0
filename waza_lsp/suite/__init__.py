"""What requests know about the files around a document: its suite, its workspace. Knows snapshots, no protocol work."""
