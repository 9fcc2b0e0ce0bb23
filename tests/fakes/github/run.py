"""Run the simulated GitHub as a process of its own: for use by hand, for act and for benchmarks.

``python -m tests.fakes.github.run`` prints one line of JSON with addresses, tokens and ids, then serves until
its input ends or it is interrupted.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

from draftgate.cli import demo_change
from tests.fakes.github.scenario import Scenario, make_scenario
from tests.fakes.github.server import Simulator, serve
from tests.git_builder import Repo


def _make_demo(root: Path) -> Scenario:
    """The change that ``draftgate demo`` reviews."""
    source = Repo.create(root / "source")
    source.commit(demo_change.BASE, "Book rooms in teams")
    source.branch("demo")
    source.commit(demo_change.HEAD, "Invite people to teams")
    return make_scenario(root, source, branch="demo")


SCENARIOS: Mapping[str, Callable[[Path], Scenario]] = {"flawed": make_scenario, "demo": _make_demo}


def main() -> None:
    """Serve one scenario."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", choices=SCENARIOS, default="flawed")
    parser.add_argument("--port", type=int, default=0, help="0 is any free one")
    parser.add_argument(
        "--real-time", action="store_true", help="the clock of this machine, not one that counts writes"
    )
    parser.add_argument("--root", type=Path, help="where the repositories go; a temporary folder by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        scenario = SCENARIOS[options.scenario](options.root or Path(folder))
        scenario.world.step = None if options.real_time else timedelta(seconds=1)
        with serve(scenario.world, options.port) as simulator:
            sys.stdout.write(json.dumps(_describe(simulator, scenario)) + "\n")
            sys.stdout.flush()
            _wait()


def _describe(simulator: Simulator, scenario: Scenario) -> dict[str, object]:
    pull = scenario.pull
    return {
        "url": simulator.url,
        "graphql_url": simulator.graphql_url,
        "enterprise_url": simulator.enterprise_url,
        "clone_url": f"{simulator.git_url}/{scenario.repository.full_name}.git",
        "control_url": f"{simulator.url}/_control/",
        "repository": scenario.repository.full_name,
        "pull": pull.number,
        "head": scenario.world.head_sha(pull),
        "base": scenario.world.base_sha(pull),
        "tokens": dict(scenario.tokens),
    }


def _wait() -> None:
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")


if __name__ == "__main__":
    main()
