"""The archive in the object store, read back: its objects' names, and the orders in their lines."""

import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from urllib.parse import quote, urlsplit
from xml.etree import ElementTree

from headwater.pipeline.objects import Store, StoreError, signed_headers
from headwater.pipeline.settings import S3

TIMEOUT = 60.0
NAMESPACE = "{http://s3.amazonaws.com/doc/2006-03-01/}"
# An order as the shop has it: key, bid_time in UTC, price, item, supplier.
ArchivedOrder = tuple[str | None, datetime | None, Decimal | None, str | None, str | None]


def archived_orders(settings: S3) -> Iterator[ArchivedOrder]:
    """Every order in the archive, in no particular order."""
    place = urlsplit(settings.archive)
    store = Store(
        endpoint=settings.endpoint,
        region=settings.region,
        access_key=settings.access_key,
        secret_key=settings.secret_key,
        path_style=settings.path_style,
    )
    prefix = f"{place.path.strip('/')}/" if place.path.strip("/") else ""
    for key in object_keys(store, place.netloc, prefix):
        for line in get(store, store.url(place.netloc, key)).splitlines():
            yield order_of(line)


def order_of(line: bytes) -> ArchivedOrder:
    """The order in a line of JSON, with its price exactly as it is written."""
    record = json.loads(line, parse_float=Decimal, parse_int=Decimal)
    time, price = record.get("bid_time"), record.get("price")
    return (
        record.get("order_id"),
        datetime.fromisoformat(time) if time else None,
        None if price is None else price.quantize(Decimal("0.01")),
        record.get("item"),
        record.get("supplier"),
    )


def object_keys(store: Store, bucket: str, prefix: str) -> Iterator[str]:
    """The keys of a bucket's objects that begin with a prefix."""
    token = ""
    while True:
        query = {"list-type": "2", "prefix": prefix, **({"continuation-token": token} if token else {})}
        # The signature is over the query in the order of its names.
        text = "&".join(f"{name}={quote(value, safe='')}" for name, value in sorted(query.items()))
        answer = ElementTree.fromstring(get(store, f"{store.url(bucket, '')}?{text}"))
        for found in answer.iter(f"{NAMESPACE}Key"):
            yield found.text or ""
        token = answer.findtext(f"{NAMESPACE}NextContinuationToken") or ""
        if not token:
            return


def get(store: Store, url: str) -> bytes:
    """What an address of the store holds."""
    request = urllib.request.Request(url, headers=signed_headers(store, "GET", url, b"", datetime.now(UTC)))
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
            content: bytes = answer.read()
    except urllib.error.HTTPError as error:
        with error:
            said = error.read(300).decode("utf-8", "replace")
        raise StoreError(f"the object store answered {error.code} to GET {url}: {said}") from error
    except OSError as error:
        reason = getattr(error, "reason", error)
        raise StoreError(f"no answer from the object store to GET {url}: {reason}; is it running?") from error
    return content
