"""show-topic: prints the newest records of a topic, decoded, one line of JSON each."""

import argparse
import json
import sys
from collections import deque
from collections.abc import Sequence

from headwater.errors import HeadwaterError
from headwater.pipeline.registry import SchemaRegistry
from headwater.pipeline.settings import load_pipeline_settings
from headwater.pipeline.topic_reader import TopicReader, UnreadableTopic, decoder, key_of

COUNT = 10


def main(argv: Sequence[str] | None = None) -> int:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(prog="show-topic", description=__doc__)
    parser.add_argument("topic", help="such as orders, bids or supplier-stats")
    parser.add_argument("--count", type=int, default=COUNT, help="how many records (%(default)s)")
    parser.add_argument("--settings", metavar="FILE", help="the pipeline's settings file; default: HEADWATER_PIPELINE")
    given = parser.parse_args(argv)
    try:
        settings = load_pipeline_settings(given.settings)
        decode = decoder(SchemaRegistry(settings.registry))
        with TopicReader(settings.kafka, given.topic) as reader:
            if not reader.ends():
                raise UnreadableTopic(
                    f"no topic {given.topic!r} at {settings.kafka.bootstrap}; nobody has written to it"
                )
            newest = deque(reader.read(), maxlen=given.count)
            for message in newest:
                print(json.dumps({"key": key_of(message), **decode(message)}, default=str))
        print(f"{len(newest)} of {reader.rows} records of topic {given.topic}", file=sys.stderr)
    except HeadwaterError as error:
        print(f"show-topic: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
