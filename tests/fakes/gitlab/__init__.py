"""A GitLab for tests: a stateful loopback server over real bare repositories, with GitLab's rules.

How to use it::

    scenario = make_scenario(tmp_path, version="19.2.0", tier="premium")      # tests.fakes.gitlab.scenario
    with serve(scenario.world) as simulator:                                  # tests.fakes.gitlab.server
        gitlab.Gitlab(simulator.url, private_token=scenario.tokens[BOT])
        simulator.faults.add("500", match="POST .*/bulk_publish$", when="after")
        push(scenario.world, scenario.merge_request, {"rooms/mail.py": "..."})
    assert simulator.violations == []                                         # nothing that GitLab does not have
    assert scenario.world.executed == []                                      # no quick action leaked

`World` has the switches (`version`, `edition`, `relative_root`, `bad_draft`, `loose_drafts`, `short_pages`,
`moved_writes`, `kept_reviewer`, `submitters_review`, `limits`) and what came of texts (`executed`, `mentioned`,
`referenced`), reviewers (`displaced`) and trigger tokens (`triggered`); `Project` has the settings of approvals and of
withheld diffs. `payloads` makes the bodies of webhooks, `certificates` an authority for TLS, and
``python -m tests.fakes.gitlab.run`` serves a scenario to other programs.

It covers merge requests with versions, notes, threads, draft notes with positions, emoji, approvals, reviewers,
members of projects and groups, the repository, commit statuses, triggers, a little GraphQL, and git over HTTP. It does
not merge or rebase for real, runs no pipelines, has no notes on issues or commits, no suggestions, no milestones, no
approval rules, and renders no Markdown. Fields of an answer that a review has no use for may be missing.
"""
