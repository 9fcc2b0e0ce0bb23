"""Run the simulated GitLab as a process of its own: for use by hand, for runs of whole jobs and for benchmarks.

``python -m tests.fakes.gitlab.run`` prints one line of JSON with addresses, tokens and ids, then serves until
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
from tests.fakes.gitlab.certificates import make_certificates
from tests.fakes.gitlab.people import Edition
from tests.fakes.gitlab.scenario import TRIGGER_TOKEN, Scenario, make_scenario
from tests.fakes.gitlab.server import Simulator, serve
from tests.flawed_change import BRANCH, make_flawed_repository
from tests.git_builder import Repo


def _make_demo(root: Path) -> tuple[Repo, str]:
    """The change that ``draftgate demo`` reviews."""
    source = Repo.create(root / "source")
    source.commit(demo_change.BASE, "Book rooms in teams")
    source.branch("demo")
    source.commit(demo_change.HEAD, "Invite people to teams")
    return source, "demo"


def _make_flawed(root: Path) -> tuple[Repo, str]:
    return make_flawed_repository(root / "source"), BRANCH


SCENARIOS: Mapping[str, Callable[[Path], tuple[Repo, str]]] = {"flawed": _make_flawed, "demo": _make_demo}


def main() -> None:
    """Serve one scenario."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenario", choices=SCENARIOS, default="flawed")
    parser.add_argument("--port", type=int, default=0, help="0 is any free one")
    parser.add_argument("--gitlab-version", default="18.4.0", help="16.4.0, 17.0.0, 18.4.0, 18.11.0, 19.2.0 differ")
    parser.add_argument("--tier", choices=[edition.value for edition in Edition], default="free")
    parser.add_argument("--visibility", choices=["public", "private"], default="public")
    parser.add_argument("--relative-root", default="", help="such as /gitlab")
    parser.add_argument("--tls", action="store_true", help="with an authority of its own, whose file is printed")
    parser.add_argument("--bad-draft", choices=["drop", "fail"], default="drop")
    parser.add_argument(
        "--real-time", action="store_true", help="the clock of this machine, not one that counts writes"
    )
    parser.add_argument("--root", type=Path, help="where the repositories go; a temporary folder by default")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = options.root or Path(folder)
        source, branch = SCENARIOS[options.scenario](root)
        scenario = make_scenario(
            root,
            source,
            branch=branch,
            version=options.gitlab_version,
            tier=options.tier,
            visibility=options.visibility,
            relative_root=options.relative_root,
        )
        scenario.world.step = None if options.real_time else timedelta(seconds=1)
        scenario.world.bad_draft = options.bad_draft
        certificates = make_certificates(root / "certificates") if options.tls else None
        with serve(scenario.world, options.port, certificates=certificates) as simulator:
            sys.stdout.write(json.dumps(_describe(simulator, scenario)) + "\n")
            sys.stdout.flush()
            _wait()


def _describe(simulator: Simulator, scenario: Scenario) -> dict[str, object]:
    one = scenario.merge_request
    return {
        "url": simulator.url,
        "api_url": simulator.api_url,
        "graphql_url": simulator.graphql_url,
        "clone_url": f"{simulator.git_url}/{scenario.project.full_path}.git",
        "control_url": f"{simulator.origin}/_control/",
        "ca_file": None if simulator.ca_file is None else str(simulator.ca_file),
        "project": scenario.project.full_path,
        "project_id": scenario.project.id,
        "iid": one.iid,
        "head": scenario.world.head_sha(one),
        "base": one.version.base,
        "tokens": dict(scenario.tokens),
        "trigger_token": TRIGGER_TOKEN,
        "users": {name: user.id for name, user in scenario.world.users.items()},
    }


def _wait() -> None:
    try:
        sys.stdin.read()
    except KeyboardInterrupt:
        sys.stderr.write("stopped\n")


if __name__ == "__main__":
    main()
