"""Reads: sync functions over a connection, shared by every API."""
