"""Dialogues: the turns that two answers share tell nothing, their last turns are the answers."""

from __future__ import annotations

from benchaudit.mapping.literal import Unreadable, Value, decode_literal

_TURN = "\n\nAssistant:"
_SPEAKERS = ("role", "from")
_SAID = ("content", "value")


def messages(value: Value) -> list[dict[str, Value]] | None:
    """The messages of a dialogue, spelled in a text or not; None where the value is no message list.

    A message is a record with a speaker (`role`, `from`) and what was said (`content`, `value`); one on its
    own is a dialogue of one.
    """
    if isinstance(value, dict) and _is_message(value):
        return [value]
    if isinstance(value, str):
        if not value.lstrip().startswith("["):
            return None
        try:
            value, _ = decode_literal(value)
        except Unreadable:
            return None
    return value if isinstance(value, list) and value and all(map(_is_message, value)) else None


def _is_message(value: Value) -> bool:
    return (
        isinstance(value, dict)
        and any(name in value for name in _SPEAKERS)
        and any(name in value for name in _SAID)
    )


def last_turn(value: Value, *, marked: bool) -> Value:
    """What is said last in a dialogue; any other value comes back as it is.

    A message list has no other text than its turns. A text with marked turns is itself one, and is
    cut only where `marked` says so. Raises Unreadable where the last turn holds no text.
    """
    turns = messages(value)
    if turns is not None:
        return _said(turns[-1])
    return value.rsplit(_TURN, 1)[-1] if marked and isinstance(value, str) else value


def _said(message: dict[str, Value]) -> str | None:
    said = next(message[name] for name in _SAID if name in message)
    if isinstance(said, list):
        parts = [
            part["text"] for part in said if isinstance(part, dict) and isinstance(part.get("text"), str)
        ]
        if not parts or len(parts) < len(said):
            raise Unreadable("a turn that is more than text")
        return "".join(parts)
    if said is None or isinstance(said, str):
        return said
    raise Unreadable("a turn that is no text")


def has_turns(value: Value) -> bool:
    """Whether a value is a dialogue of several turns."""
    turns = messages(value)
    return len(turns) > 1 if turns is not None else isinstance(value, str) and _TURN in value
