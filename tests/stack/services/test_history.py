import json
import time

import httpx

from headwater.stack.lab import Lab
from headwater.stack.services.history import events
from tests.stack.real import kill, start
from tests.stack.small import wait_for

APPLICATION = "local-1794794036381"


def write_event_log(lab: Lab) -> None:
    """The events of a job that did nothing, as tightly written as Spark does, by which the server knows them."""
    now = int(time.time() * 1000)
    lines = [
        {"Event": "SparkListenerLogStart", "Spark Version": "3.5.7"},
        {
            "Event": "SparkListenerApplicationStart",
            "App Name": "supplier_stats",
            "App ID": APPLICATION,
            "Timestamp": now,
            "User": "somebody",
        },
        {"Event": "SparkListenerApplicationEnd", "Timestamp": now + 1000},
    ]
    (events(lab) / APPLICATION).write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))


def names(lab: Lab) -> list[str]:
    answer = httpx.get(f"{lab.address('history')}/api/v1/applications", trust_env=False)
    return [application["name"] for application in answer.json()]


def test_a_job_is_shown_also_after_the_server_was_killed(real_lab: Lab) -> None:
    start(real_lab, "history")
    write_event_log(real_lab)
    wait_for(lambda: names(real_lab) == ["supplier_stats"])
    kill(real_lab, "history")
    start(real_lab, "history")
    wait_for(lambda: names(real_lab) == ["supplier_stats"])
