"""The pipeline on services that a person runs already: another lab's, which this one knows by address and password."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from headwater.stack.lab import Lab
from headwater.stack.services import SERVICES


@pytest.mark.long
def test_the_pipeline_runs_on_services_of_a_persons_own_and_starts_only_the_rest(
    running_lab: Lab, tmp_path: Path
) -> None:
    known = running_lab.credentials
    shop = running_lab.address("postgres").replace("@", f":{known.shop_password}@")
    config = tmp_path / "lab.toml"
    config.write_text(
        f"""
[kafka]
bootstrap = "{running_lab.address("kafka")}"
[registry]
url = "{running_lab.address("registry")}"
username = "{known.registry_user}"
password = "{known.registry_password}"
[object_store]
endpoint = "{running_lab.address("object-store")}"
access_key = "{known.s3_access_key}"
secret_key = "{known.s3_secret_key}"
[postgres]
url = "{shop}"
[metastore]
uri = "{running_lab.address("metastore")}"
"""
    )
    config.chmod(0o600)
    home = tmp_path / "lab"
    program = str(Path(sys.executable).with_name("headwater"))
    command = [program, "lab", "pipeline", "--home", str(home), "--config", str(config)]
    done = subprocess.run(
        [*command, "--once", "--orders", "200", "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["agrees"]
    started = {service.name for service in SERVICES if (home / "logs" / f"{service.name}.log").exists()}
    assert started == {"connect", "history", "lineage"}
