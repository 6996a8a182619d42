"""How large a schema may be: a few lines of text can describe more fields than a machine has room for."""

from headwater.capture.connect.schemas.record import BadSchema

MOST_FIELDS = 20_000


class Budget:
    """Counts the fields of one schema."""

    def __init__(self, most: int = MOST_FIELDS) -> None:
        self.left = most

    def spend(self) -> None:
        """Count one field; BadSchema when there are too many."""
        self.left -= 1
        if self.left < 0:
            raise BadSchema(f"the schema has more than {MOST_FIELDS} fields; its columns are not shown")
