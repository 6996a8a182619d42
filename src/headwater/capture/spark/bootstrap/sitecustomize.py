"""What Python runs first in a job that `headwater submit` starts; it must cost nothing and must not fail."""

import importlib
import os
import sys


def begin() -> None:
    """Let the environment's own sitecustomize run, which this one hides, and wait for Spark in the driver."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [path for path in sys.path if os.path.abspath(path) != here]
    this = sys.modules.pop("sitecustomize", None)
    try:
        importlib.import_module("sitecustomize")  # another one, now that we are off the path
    except ImportError:
        pass
    finally:
        if this is not None:
            sys.modules.setdefault("sitecustomize", this)
    # spark-submit gives its port to the driver alone; a worker, which begins here too, has none.
    if "PYSPARK_GATEWAY_PORT" not in os.environ:
        return
    try:
        from headwater.capture.spark.hook import install

        install()
    except Exception as error:
        print(
            f"headwater: no lineage of this job: {error}; install headwater for {sys.executable}, or name the Python "
            f"that has it with PYSPARK_DRIVER_PYTHON",
            file=sys.stderr,
        )


begin()
