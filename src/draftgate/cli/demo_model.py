"""A model for the demo: a server on this machine that speaks chat completions and says what is written here.

It looks at nothing. What Draftgate sends to it, and makes of what it says, is the real thing, and that is what the demo
shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

Call = tuple[str, dict[str, object]]

_READS: list[Call] = [
    ("read_file", {"path": "rooms/views.py", "start_line": None, "end_line": None, "commit": "head"}),
    ("grep", {"words": ["send_welcome", "role"], "glob": None, "commit": "head"}),
]

_SAID: list[dict[str, object]] = [
    {
        "path": "rooms/views.py",
        "line": 5,
        "start_line": None,
        "side": "RIGHT",
        "label": "suggestion",
        "decorations": [],
        "subject": "Whoever sends the form chooses their own role",
        "body": "`role` goes from the request into the invitation without a look at who asks, so a member can write "
        "`owner` into the form. Take the role from what the person inviting may give away.",
        "evidence": '    return send_welcome(team, request.POST["address"], request.POST["role"])',
        "confidence": 75,
        "category": "security",
        "suggestion": None,
    },
    {
        "path": "rooms/models.py",
        "line": 6,
        "start_line": None,
        "side": "RIGHT",
        "label": "issue",
        "decorations": [],
        "subject": "Existing teams have no number of seats",
        "body": "The new column has no value for the rows that are there.",
        "evidence": "    seats = models.IntegerField(default=5)",
        "confidence": 60,
        "category": "logic",
        "suggestion": None,
    },
    {
        "path": "rooms/views.py",
        "line": 4,
        "start_line": None,
        "side": "RIGHT",
        "label": "issue",
        "decorations": ["blocking"],
        "subject": "The password is logged",
        "body": "A line that is nowhere in the file: a model can be quite sure of what it made up.",
        "evidence": "    log.info(request.POST['password'])",
        "confidence": 95,
        "category": "security",
        "suggestion": None,
    },
]

_JUDGED: list[dict[str, object]] = [
    {"number": 1, "verdict": "confirmed", "confidence": 80, "reason": "rooms/views.py:5 passes it on unchecked."},
    {"number": 2, "verdict": "refuted", "confidence": 0, "reason": "default=5 on the same line fills them."},
]


@contextmanager
def scripted_model() -> Iterator[str]:
    """Serve the model inside the block, under the base URL that is given."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def _answer(request: dict[str, object]) -> list[Call]:
    """The calls of the next turn: a critic judges, an agent reads first and reports then."""
    offered = json.dumps(request.get("tools"))
    if "report_verdicts" in offered:
        return [("report_verdicts", {"verdicts": _JUDGED})]
    messages = request.get("messages")
    has_read = isinstance(messages, list) and any(message.get("role") == "tool" for message in messages)
    return [("report_findings", {"findings": _SAID})] if has_read else _READS


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_arguments: object) -> None:
        """Nothing: the demo shows what Draftgate says."""

    def do_POST(self) -> None:
        """Answer a request of https://platform.openai.com/docs/api-reference/chat/create."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        calls = [
            {"id": f"call-{number}", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
            for number, (name, arguments) in enumerate(_answer(json.loads(body)))
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": len(json.dumps(calls)) // 4}
        answer = {
            "id": "scripted",
            "object": "chat.completion",
            "model": "scripted",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}],
            "usage": usage,
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
