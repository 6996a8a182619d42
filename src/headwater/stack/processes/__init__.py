"""Processes of the lab as the operating system sees them: started, recorded, found again and ended."""
