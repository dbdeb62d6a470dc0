"""What the words of a task's file say about its intent."""
