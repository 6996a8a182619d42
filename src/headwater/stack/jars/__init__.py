"""The jars that the lab runs on: which, from where, and in what folder."""
