"""What a checkpoint says about the place it stands in, besides the session that it shows.

Whoever knows the place hands it over as a value; nothing is asked or read here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from draftgate.errors import Problem
from draftgate.render.links import PLAIN, LinkStyle


class SetUp(Enum):
    """A row of the integrity table, as a reader is told it: who can change what the checkpoint rests on."""

    SHARED_ACCOUNT = (
        "this set-up is *workflow token*. An edit of this comment by hand is refused. Someone who can push a workflow "
        "is **not** kept out: its jobs are the same account. A GitHub App of your own, with its key in an environment "
        "limited to the default branch, closes that."
    )
    ACCOUNT_OF_A_PERSON = (
        "this set-up is *a person's token*, for which GitHub keeps no check run. An edit of this comment by hand is "
        "refused while a draft waits. Someone with write access who deletes comments and puts an older state back is "
        "**not** noticed. A GitHub App of your own closes that."
    )
    READABLE_KEY = (
        "this set-up is *the key of an App, or a signing key*. An edit of this comment by hand is refused. Someone who "
        "can push a workflow is **not** kept out if the key is a plain secret, which a workflow can read. They are if "
        "it exists only in an environment limited to the default branch, and reviews run there by "
        "`pull_request_target` without a checkout. Which of the two holds, Draftgate cannot see."
    )
    GITLAB_DRAFT = (
        "this set-up is *GitLab without a signing key*. An edit of this comment by hand is refused while draft notes "
        "wait; without any, only a review without findings can be approved. Someone who can push a pipeline that is "
        "given the bot's token is **not** kept out. A signing key in a protected variable, with reviews and commands "
        "by trigger on the default branch, closes that."
    )
    GITLAB_KEY = (
        "this set-up is *GitLab with a signing key*. An edit of this comment by hand is refused. Someone who can push "
        "a pipeline is **not** kept out if it is given the key. They are if key and token are protected variables, and "
        "reviews and commands run by trigger on the default branch. Which of the two holds, Draftgate cannot see."
    )


@dataclass(frozen=True, slots=True)
class Setting:
    """The place of a page.

    Attributes:
        integrity: What a hand edit can and cannot do here, as sentences; the value of a `SetUp` on a forge.
        repository_url: The web address of the repository, for permanent links; "" links nothing.
        link_style: How the forge writes their addresses.
        account_is_shared: Other programs write under the bot's account.
        notify: Whom the configuration wants told when findings wait.
        continues: The address of an earlier checkpoint that another account wrote, or "".
        problems: What is wrong with the configuration as it is now; shown above everything else.
        only_reviews_stop: The problems keep new reviews from beginning, and nothing else.
    """

    integrity: str = ""
    repository_url: str = ""
    link_style: LinkStyle = PLAIN
    account_is_shared: bool = False
    notify: tuple[str, ...] = ()
    continues: str = ""
    problems: tuple[Problem, ...] = ()
    only_reviews_stop: bool = False


ANYWHERE = Setting()
"""A place of which nothing is known."""
