"""The one error family: anything a person can act on derives from HeadwaterError."""


class HeadwaterError(Exception):
    """Something a person can fix; the message says what was given, what was expected and what to do next."""


class SettingError(HeadwaterError):
    """A setting that is unknown or has a value that cannot be used."""
