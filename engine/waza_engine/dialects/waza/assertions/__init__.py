"""Static checks of assertion code in `code` graders."""
