"""Whole objects into an S3 store, on the standard library alone, so that any executor can write them."""

import hashlib
import hmac
import re
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from urllib.parse import quote, urlsplit

from headwater.errors import HeadwaterError

TIMEOUT = 60.0
TRIES = 5
FIRST_PAUSE = 0.5
# Characters that S3's signature does not escape, beside letters and digits.
PLAIN = "/-_.~"


class StoreError(HeadwaterError):
    """The object store cannot be reached or refuses what was asked."""


@dataclass(frozen=True, kw_only=True)
class Store:
    """An object store and who we are to it."""

    endpoint: str
    region: str
    access_key: str
    secret_key: str = field(repr=False)
    session_token: str = field(default="", repr=False)
    path_style: bool = True

    def url(self, bucket: str, key: str) -> str:
        """The address of an object."""
        base = urlsplit(self.endpoint or f"https://s3.{self.region}.amazonaws.com")
        if self.path_style:
            return f"{base.scheme}://{base.netloc}/{bucket}/{quote(key, safe=PLAIN)}"
        return f"{base.scheme}://{bucket}.{base.netloc}/{quote(key, safe=PLAIN)}"


def put(store: Store, bucket: str, key: str, body: bytes, sleep: Callable[[float], None] = time.sleep) -> None:
    """Write an object, all or nothing; what may pass by itself is tried again, then StoreError."""
    url = store.url(bucket, key)
    pause = FIRST_PAUSE
    for last in [*[False] * (TRIES - 1), True]:
        headers = signed_headers(store, "PUT", url, body, datetime.now(UTC))
        request = urllib.request.Request(url, data=body, headers=headers, method="PUT")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT):
                return
        except urllib.error.HTTPError as error:
            with error:
                if error.code < 500 or last:
                    raise StoreError(refusal(error, url)) from error
        except OSError as error:
            if last:
                reason = getattr(error, "reason", error)
                raise StoreError(f"no answer from the object store to PUT {url}: {reason}; is it running?") from error
        sleep(pause)
        pause *= 2


def refusal(error: urllib.error.HTTPError, url: str) -> str:
    """What the store said no to, with the code that S3 has for it."""
    code = re.search(rb"<Code>([^<]+)</Code>", error.read(4_000))
    said = code[1].decode("utf-8", "replace") if code else error.reason
    return (
        f"the object store answered {error.code} ({said}) to PUT {url}; "
        f"check s3.access_key, s3.secret_key and that the bucket exists"
    )


def signed_headers(store: Store, method: str, url: str, body: bytes, now: datetime) -> dict[str, str]:
    """The headers of a request with AWS's signature, version 4; the body is part of what is signed."""
    parts = urlsplit(url)
    stamp, day = f"{now:%Y%m%dT%H%M%SZ}", f"{now:%Y%m%d}"
    digest = hashlib.sha256(body).hexdigest()
    headers = {"host": parts.netloc, "x-amz-content-sha256": digest, "x-amz-date": stamp}
    if store.session_token:
        headers["x-amz-security-token"] = store.session_token
    names = ";".join(sorted(headers))
    listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join([method, parts.path, parts.query, listed, names, digest])
    scope = f"{day}/{store.region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", stamp, scope, hashlib.sha256(request.encode()).hexdigest()])
    key = f"AWS4{store.secret_key}".encode()
    for part in (day, store.region, "s3", "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    signature = hmac.new(key, text.encode(), "sha256").hexdigest()
    login = f"AWS4-HMAC-SHA256 Credential={store.access_key}/{scope}, SignedHeaders={names}, Signature={signature}"
    return {**headers, "Authorization": login, "Content-Type": "application/json"}
