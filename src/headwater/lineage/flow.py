"""How much a running job moves, from what it reports of itself in the facets of its run."""

from msgspec import Struct

from headwater.store.read.facets import Facets, read_facet
from headwater.store.read.streams import FLOW, PROGRESS

FLOW_FACETS = (PROGRESS, FLOW)


class Flow(Struct, omit_defaults=True):
    """What a job said last; `lag` is records not read yet, over all its sources."""

    rowsPerSecond: float | None = None
    lag: float | None = None
    watermarkDelayMs: float | None = None


class _Source(Struct):
    lag: float | None = None


class _Progress(Struct):
    """A micro-batch of a stream."""

    inputRowsPerSecond: float | None = None
    watermarkDelayMillis: float | None = None
    sources: list[_Source] = []


class _Moved(Struct):
    """What a connector moved since it last said so."""

    recordsPerSecond: float | None = None
    lag: float | None = None


def flow_in(facets: Facets) -> Flow | None:
    """The figures that some facets of a run hold, if they hold any."""
    if progress := read_facet(facets, PROGRESS, _Progress):
        lags = [source.lag for source in progress.sources if source.lag is not None]
        flow = Flow(progress.inputRowsPerSecond, sum(lags) if lags else None, progress.watermarkDelayMillis)
    elif moved := read_facet(facets, FLOW, _Moved):
        flow = Flow(moved.recordsPerSecond, moved.lag)
    else:
        return None
    return flow if flow != Flow() else None
