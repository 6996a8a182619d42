"""Every figure the README quotes, measured: `python -m bench`, or `make bench`."""
