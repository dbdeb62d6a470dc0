"""Trajectories for vally's graders, and in vally's file formats."""
