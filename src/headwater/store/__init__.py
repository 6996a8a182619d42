"""What is remembered: tables, migrations, the fold from events to rows, and reads."""
