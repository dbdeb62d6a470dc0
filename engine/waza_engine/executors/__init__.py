"""Who performs a task: one file per executor, found by looking into this folder."""
