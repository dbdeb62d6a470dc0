"""What earlier runs tell about a task: what has changed since it passed, and how much its verdict varies."""
