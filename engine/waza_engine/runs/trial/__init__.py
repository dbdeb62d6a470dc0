"""One trial of one task: workspace, agent, conversation, graders."""
