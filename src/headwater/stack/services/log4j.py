"""How the Java services log: warnings and errors to standard output, and a few good tidings when they start."""

from collections.abc import Mapping

PATTERN = "%d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %c{1}: %m%n"


def log4j(levels: Mapping[str, str]) -> str:
    """The text of a log4j2.properties file in which these loggers have a level of their own."""
    lines = [
        "status = error",
        "appender.out.type = Console",
        "appender.out.name = out",
        "appender.out.layout.type = PatternLayout",
        f"appender.out.layout.pattern = {PATTERN}",
        "rootLogger.level = warn",
        "rootLogger.appenderRef.out.ref = out",
    ]
    for number, (name, level) in enumerate(levels.items()):
        lines += [f"logger.{number}.name = {name}", f"logger.{number}.level = {level}"]
    return "\n".join(lines) + "\n"
