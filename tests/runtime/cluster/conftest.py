"""A Ray cluster of two nodes on the loopback address of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pyptogen import Runtime

TESTS = Path(__file__).parents[2]

# Ray reads these when it is imported: no address but the loopback one, and nothing is reported.
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"


@pytest.fixture(scope="package")
def address() -> Iterator[str]:
    """Where the cluster is."""
    pytest.importorskip("ray", reason="level cluster needs the extra `ray`")
    from ray.cluster_utils import Cluster

    # The nodes' workers import pyptogen and the kernels of the tests.
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(TESTS.parent), str(TESTS), before]))
    node = {"num_cpus": 4, "node_ip_address": "127.0.0.1", "object_store_memory": 256 << 20}
    cluster = Cluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    cluster.add_node(**node)
    yield cluster.address
    cluster.shutdown()
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="package")
def rt(address: str) -> Iterator[Runtime]:
    """Four chips on the two nodes."""
    with Runtime(level="cluster", devices=[0, 1, 2, 3], address=address) as runtime:
        yield runtime
