"""Passes a webhook of the Hugging Face Hub on to GitHub, so that a new commit is looked at within a minute.

    WEBHOOK_SECRET=… GITHUB_TOKEN=… GITHUB_REPOSITORY=owner/name python relay.py

One file, the standard library only. It listens on PORT (8080) without encryption: put it behind whatever
serves HTTPS for you. Of what the Hub sends, only the dataset's name and the commit's id are passed on, and
only when they look like one; the workflow decides what it does with a dataset that it does not know. The
secret is the one that the webhook's form asks for, and the token needs `contents: write` on that one
repository, which is what GitHub asks of whoever starts a `repository_dispatch`.

Answers: 202 passed on, 204 nothing to pass on, 400 no webhook, 401 wrong secret, 413 too long, 502 GitHub
refused.
"""

from __future__ import annotations

import hmac
import json
import os
import re
import sys
import urllib.error
import urllib.request
from http.client import HTTPException
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MOST_BYTES = 1 << 20
_DATASET = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}")


def news(payload: Any) -> dict[str, str] | None:
    """What a webhook says of a dataset's new commit; None where it is about something else.

    Raises ValueError for what is no webhook of the Hub.
    """
    try:
        repo, event = payload["repo"], payload["event"]
        kind, name, action, scope = repo["type"], repo["name"], event["action"], event["scope"]
    except (TypeError, KeyError):
        raise ValueError("no webhook of the Hub") from None
    if kind != "dataset" or action not in ("create", "update") or not str(scope).startswith("repo"):
        return None
    head = repo.get("headSha")
    if head is None or _is_conversion(payload.get("updatedRefs")):
        return None
    if not (isinstance(name, str) and _DATASET.fullmatch(name)):
        raise ValueError("no name of a dataset")
    if not (isinstance(head, str) and _COMMIT.fullmatch(head)):
        raise ValueError("no id of a commit")
    return {"dataset": name, "headSha": head}


def _is_conversion(refs: Any) -> bool:
    """Whether all that moved are the branches on which the Hub keeps its own conversions of a dataset."""
    named = [str(ref.get("ref")) for ref in refs if isinstance(ref, dict)] if isinstance(refs, list) else []
    return bool(named) and all(name.startswith("refs/convert/") for name in named)


def dispatch(said: dict[str, str]) -> None:
    """Start the workflows that wait for it. Raises OSError where GitHub cannot be reached or refuses."""
    api = os.environ.get("GITHUB_API_URL", "https://api.github.com")
    request = urllib.request.Request(
        f"{api}/repos/{os.environ['GITHUB_REPOSITORY']}/dispatches",
        data=json.dumps({"event_type": "benchaudit", "client_payload": said}).encode(),
        headers={
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {os.environ['GITHUB_TOKEN']}",
            "Content-Type": "application/json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
    with urllib.request.urlopen(request, timeout=20):
        pass


class Relay(BaseHTTPRequestHandler):
    """One request. Its first line and the answer's status are all that is logged."""

    timeout = 20

    def do_POST(self) -> None:
        """Take a webhook."""
        self.send_response(self.answer())
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self) -> int:
        """The status of the answer."""
        # As they came over the wire, and in constant time: how long it takes tells nothing of what was right.
        sent = self.headers.get("X-Webhook-Secret", "").encode("latin-1")
        if not hmac.compare_digest(sent, os.environ["WEBHOOK_SECRET"].encode()):
            return 401
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            return 400
        return 413 if int(length) > MOST_BYTES else self.passed_on(self.rfile.read(int(length)))

    def passed_on(self, body: bytes) -> int:
        """The status of the answer to a webhook whose secret was right."""
        try:
            said = news(json.loads(body))
            if said is None:
                return 204
            dispatch(said)
        except (ValueError, RecursionError):
            return 400
        except (OSError, HTTPException) as error:
            self.log_error("GitHub refused: %s", getattr(error, "code", "no answer"))
            return 502
        return 202

    def version_string(self) -> str:
        """What the answer's `Server` says: no versions."""
        return "relay"


def main() -> None:
    """Serve until the process is ended."""
    missing = [
        name for name in ("WEBHOOK_SECRET", "GITHUB_TOKEN", "GITHUB_REPOSITORY") if not os.environ.get(name)
    ]
    if missing:
        sys.exit(f"not set: {', '.join(missing)}")
    address = (os.environ.get("HOST", "0.0.0.0"), int(os.environ.get("PORT", "8080")))
    with ThreadingHTTPServer(address, Relay) as server:
        sys.stderr.write(f"listening on port {server.server_port}\n")
        sys.stderr.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
