"""Every service of the lab, in the order in which a person reads them: along the data's way."""

from headwater.stack.connect import CONNECT
from headwater.stack.history import HISTORY
from headwater.stack.kafka import KAFKA
from headwater.stack.lineage import LINEAGE
from headwater.stack.metastore import METASTORE
from headwater.stack.object_store import OBJECT_STORE
from headwater.stack.postgres import POSTGRES
from headwater.stack.registry import REGISTRY
from headwater.stack.service import Service

SERVICES: tuple[Service, ...] = (
    POSTGRES,
    KAFKA,
    REGISTRY,
    CONNECT,
    OBJECT_STORE,
    METASTORE,
    HISTORY,
    LINEAGE,
)
