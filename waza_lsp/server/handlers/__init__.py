"""Handlers of requests and notifications: find the snapshot, call the feature, reply."""
