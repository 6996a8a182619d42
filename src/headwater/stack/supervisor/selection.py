"""Which services are meant, and in what order they come."""

import difflib
from collections.abc import Collection, Iterable, Sequence

from headwater.errors import HeadwaterError
from headwater.stack.service import Service
from headwater.stack.settings import DEFAULT_PORTS


def choose(services: Sequence[Service], names: Iterable[str]) -> list[Service]:
    """The named services and all that they need, or every one if none is named; none before one that it needs."""
    by_name = {service.name: service for service in services}
    chosen: dict[str, Service] = {}

    def add(name: str) -> None:
        if name not in chosen:
            service = by_name[name]
            for need in service.needs:
                add(need)
            chosen[name] = service

    for name in list(names) or by_name:
        check_name(name, by_name)
        add(name)
    return list(chosen.values())


def choose_dependents(services: Sequence[Service], names: Iterable[str]) -> list[Service]:
    """The named services and all that need them, or every one if none is named; none before one that it needs."""
    meant = set(names)
    for name in meant:
        check_name(name, [service.name for service in services])
    ordered = choose(services, ())
    if not meant:
        return ordered
    for service in ordered:
        if meant.intersection(service.needs):
            meant.add(service.name)
    return [service for service in ordered if service.name in meant]


def check_name(name: str, known: Collection[str]) -> None:
    """Raise HeadwaterError for a name that no service has."""
    if name not in known:
        raise unknown("service", name, known)


def unknown(noun: str, name: str, known: Iterable[str]) -> HeadwaterError:
    """The error of a name that nothing has, with the nearest that something has."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(names)}"
    return HeadwaterError(f"no {noun} {name!r}; {hint}")


def port_names(name: str) -> list[str]:
    """The names of the ports that a service listens on."""
    stem = name.replace("-", "_")
    return [port for port in DEFAULT_PORTS if port == stem or port.startswith(f"{stem}_")]
