"""How much memory a process holds, with all that descend from it."""

from contextlib import suppress

import psutil

from headwater.stack.processes.marks import family

MB = 1024 * 1024


def resident_mb(pid: int) -> int | None:
    """Resident memory in MB; None if the process is gone."""
    try:
        process = psutil.Process(pid)
        total: int = process.memory_info().rss
    except psutil.Error:
        return None
    for member in family(process)[1:]:
        with suppress(psutil.Error):
            memory = member.memory_info()
            # PostgreSQL's processes all map the same buffers, which would count once for each.
            total += memory.rss - getattr(memory, "shared", 0)
    return round(total / MB)
