"""The same release from a Ray cluster of two nodes as from one process."""

import msgspec
import pytest

from searchjev.errors import ConfigError
from searchjev.release.build import build
from searchjev.release.engine import OnRay, dearest_first, open_engine

from .test_build import digests


@pytest.fixture(scope="module")
def cluster():
    pytest.importorskip("ray", reason="Ray is not installed; pip install 'searchjev[ray]'")
    import ray
    from ray.cluster_utils import Cluster

    nodes = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1)
    ray.init(address=nodes.address, log_to_driver=False)
    yield nodes
    ray.shutdown()
    nodes.shutdown()


def where(_task: int) -> str:
    import time

    import ray

    # long enough that one node alone doesn't take all
    time.sleep(0.2)
    return ray.get_runtime_context().get_node_id()


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_two_nodes_build_the_same_bytes(cluster, built, release_config, tmp_path):
    engine = OnRay(2)
    assert len(set(engine.map(where, range(6), [1] * 6))) == 2
    config = msgspec.structs.replace(release_config, out=str(tmp_path / "out"))
    assert digests(build(config, engine=engine)) == digests(built)


def test_an_unknown_engine_lists_the_known_ones():
    with pytest.raises(ConfigError, match="local, ray"):
        open_engine("spark", 2)


def test_the_dearest_task_begins_first():
    assert dearest_first([3, 9, 1, 9]) == [1, 3, 0, 2]
