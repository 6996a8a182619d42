"""Every service of the lab, in the order in which a person reads them: along the data's way."""

from headwater.stack.service import Service
from headwater.stack.services.connect import CONNECT
from headwater.stack.services.history import HISTORY
from headwater.stack.services.kafka import KAFKA
from headwater.stack.services.lineage import LINEAGE
from headwater.stack.services.metastore import METASTORE
from headwater.stack.services.object_store import OBJECT_STORE
from headwater.stack.services.postgres import POSTGRES
from headwater.stack.services.registry import REGISTRY

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
