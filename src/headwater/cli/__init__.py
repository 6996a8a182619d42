"""The `headwater` command: one file per sub-command, each listed in main.py."""
