"""Files of a Maven repository, brought into the user's cache: side by side, resumed, checked, whole or not at all."""

import fcntl
import hashlib
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedRandom
from pathlib import Path

import httpx

from headwater.errors import HeadwaterError
from headwater.settings import hide_password

MAVEN_CENTRAL = "https://repo1.maven.org/maven2"
MIRROR_VARIABLE = "HEADWATER_MAVEN_URL"
SIDE_BY_SIDE = 4
# A download that gains nothing this many times in a row is given up.
ATTEMPTS = 5
FIRST_PAUSE = 0.25
TIMEOUT = 15.0
# Answers after which it is worth asking again: too slow, not that part of the file, too often.
PASSING = (408, 416, 429)


class DownloadError(HeadwaterError):
    """A file that cannot be had."""


class WrongFile(DownloadError):
    """A file that came, but is not what it must be."""


@dataclass(frozen=True, order=True)
class Artifact:
    """One file of a Maven repository: where it is below the repository's root, and what must arrive."""

    path: str
    size: int
    sha256: str


def user_cache(env: Mapping[str, str]) -> Path:
    """The folder of this user's downloads, as the XDG specification places it."""
    place = env.get("XDG_CACHE_HOME", "")
    return (Path(place) if place.startswith("/") else Path(env.get("HOME") or Path.home()) / ".cache") / "headwater"


def repository(env: Mapping[str, str]) -> str:
    """Where files come from: the mirror that HEADWATER_MAVEN_URL names, else Maven Central."""
    return (env.get(MIRROR_VARIABLE) or MAVEN_CENTRAL).rstrip("/")


def missing(artifacts: Iterable[Artifact], cache: Path) -> list[Artifact]:
    """Those of the files that are not in the cache. Sizes are compared, not sums: what is there was checked once."""
    return [artifact for artifact in sorted(set(artifacts)) if not present(artifact, cache)]


def present(artifact: Artifact, cache: Path) -> bool:
    """Whether a file is in the cache."""
    try:
        return (cache / artifact.path).stat().st_size == artifact.size
    except OSError:
        return False


def download(
    artifacts: Iterable[Artifact],
    cache: Path,
    url: str,
    progress: Callable[[int], None] = lambda count: None,
) -> int:
    """Bring the missing files into the cache, and return how many bytes came over the network.

    Progress is told of every byte more that is there, those of an earlier attempt included, and with a negative count
    of those that had to be thrown away. Raises DownloadError for the first file that cannot be had.
    """
    wanted = missing(artifacts, cache)
    if not wanted:
        return 0
    job = Job(cache, url, progress, threading.Event())
    with (
        httpx.Client(follow_redirects=True, timeout=TIMEOUT) as client,
        ThreadPoolExecutor(SIDE_BY_SIDE, "download") as pool,
    ):
        coming = [pool.submit(fetch, job, client, artifact) for artifact in wanted]
        try:
            return sum(each.result() for each in as_completed(coming))
        except BaseException as error:
            # What has arrived so far stays, and the next attempt goes on from there.
            job.cancelled.set()
            pool.shutdown(cancel_futures=True)
            if isinstance(error, OSError):
                raise DownloadError(f"cannot keep downloads in {cache}: {error.strerror}; make room there") from error
            raise


@dataclass(frozen=True)
class Job:
    """What the downloads of one call share."""

    cache: Path
    url: str
    progress: Callable[[int], None]
    cancelled: threading.Event


def fetch(job: Job, client: httpx.Client, artifact: Artifact) -> int:
    """Bring one file into the cache; how many bytes of it came now."""
    target = job.cache / artifact.path
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f"{target.name}.part")
    with held(part) as file:
        had = min(size_of(file), artifact.size)
        job.progress(had)
        # Another lab may have brought it while we waited for the part file.
        if present(artifact, job.cache):
            job.progress(artifact.size - had)
            part.unlink()
            return 0
        receive(job, client, artifact, file)
        file.flush()
        os.fsync(file.fileno())
        os.replace(part, target)
    return artifact.size - had


@contextmanager
def held(part: Path) -> Iterator[BufferedRandom]:
    """The part file of a download, open and ours alone; whoever else wants it waits."""
    while True:
        with open(part, "a+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            # The one who had it before may have moved it into place: then the name stands for another file, or none.
            if part.exists() and os.path.samestat(os.fstat(file.fileno()), part.stat()):
                yield file
                return


def receive(job: Job, client: httpx.Client, artifact: Artifact, file: BufferedRandom) -> None:
    """Fill the part file until it is whole and right, however often the connection breaks, unless nothing comes."""
    in_vain = wrong = 0
    while True:
        before = size_of(file)
        try:
            receive_more(job, client, artifact, file)
            verify(job, artifact, file)
            return
        except WrongFile:
            wrong += 1
            # What an earlier attempt left may have been damaged; what came whole just now is wrong at its source.
            if wrong == 2 or before == 0:
                raise
        except httpx.HTTPError as error:
            in_vain = 0 if size_of(file) > before else in_vain + 1
            if in_vain == ATTEMPTS:
                raise unavailable(job, artifact, reason(error)) from error
            job.cancelled.wait(FIRST_PAUSE * 2**in_vain)


def receive_more(job: Job, client: httpx.Client, artifact: Artifact, file: BufferedRandom) -> None:
    """Receive what the part file lacks, or as much of it as comes before the connection breaks."""
    start = size_of(file)
    if start >= artifact.size:
        return
    # As stored: a body that was compressed on the way could not be resumed.
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    with client.stream("GET", f"{job.url}/{artifact.path}", headers=headers) as answer:
        if answer.is_client_error and answer.status_code not in PASSING:
            raise unavailable(job, artifact, f"{answer.status_code} {answer.reason_phrase}")
        if start and answer.status_code != httpx.codes.PARTIAL_CONTENT:
            # The server sends all of it, or cannot send that part of it.
            throw_away(job, artifact, file)
        answer.raise_for_status()
        for block in answer.iter_raw():
            if job.cancelled.is_set():
                raise DownloadError(f"the download of {artifact.path} was interrupted; the next one goes on from there")
            file.write(block)
            job.progress(len(block))
    file.flush()
    if size_of(file) < artifact.size:
        raise httpx.ReadError("the connection ended early")


def verify(job: Job, artifact: Artifact, file: BufferedRandom) -> None:
    """Raise WrongFile, and empty the part file, unless it holds what must arrive."""
    file.seek(0)
    found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != artifact.sha256:
        size = size_of(file)
        throw_away(job, artifact, file)
        raise WrongFile(
            f"{artifact.path} from {hide_password(job.url)} is not the file that is expected: {size} bytes with the "
            f"SHA-256 sum {found}, expected {artifact.size} bytes with {artifact.sha256}; it was thrown away. "
            f"Ask whoever runs that repository, or name another with {MIRROR_VARIABLE}"
        )


def throw_away(job: Job, artifact: Artifact, file: BufferedRandom) -> None:
    """Empty a part file."""
    job.progress(-size_of(file))
    file.truncate(0)


def size_of(file: BufferedRandom) -> int:
    """The length of an open file."""
    return file.seek(0, os.SEEK_END)


def reason(error: httpx.HTTPError) -> str:
    """What went wrong, in a few words."""
    if isinstance(error, httpx.HTTPStatusError):
        return f"{error.response.status_code} {error.response.reason_phrase}"
    return str(error) or type(error).__name__


def unavailable(job: Job, artifact: Artifact, why: str) -> DownloadError:
    """The error of a file that cannot be had, with what to do about it."""
    return DownloadError(
        f"cannot download {artifact.path} from {hide_password(job.url)}: {why}; check the connection (HTTPS_PROXY is "
        f"honoured) or name a mirror of Maven Central with {MIRROR_VARIABLE}, then run the same command again: "
        f"what has arrived is kept"
    )
