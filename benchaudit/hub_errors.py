"""What the Hub's client raises, in our words: what failed, where, and what to do about it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from huggingface_hub import constants, errors

from benchaudit.errors import (
    AccessDenied,
    DatasetNotFound,
    RevisionGone,
    SettingsError,
    SourceError,
    Unavailable,
)

HTTPError: type[Exception] = errors.HfHubHTTPError.__mro__[1]  # the client's HTTP library changes its name

_OF_THE_DISK = frozenset(
    {
        *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM),
        *(errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.EIO),
    }
)
"""What a file system refuses by; whatever else goes wrong on the way to the Hub is of the network."""


@contextmanager
def in_our_words(where: str, endpoint: str, *, signed_in: bool) -> Iterator[None]:
    """Raise a SourceError or SettingsError for whatever the client raises within.

    `where` is what the message speaks of, `endpoint` the Hub that is asked; `signed_in` says that a token
    goes with the question.
    """
    try:
        yield
    except errors.HfHubHTTPError as error:
        raise _refused(error, where, endpoint, signed_in=signed_in) from None
    except errors.LocalEntryNotFoundError as error:
        if isinstance(error.__cause__, errors.HfHubHTTPError):
            raise _refused(error.__cause__, where, endpoint, signed_in=signed_in) from None
        raise _unreachable(where, endpoint) from None
    except errors.HFValidationError:
        raise SettingsError("is no name of a dataset", where=where, todo="write it as owner/name") from None
    except (HTTPError, OSError) as error:
        raise _not_brought(error, where, endpoint) from None
    except RuntimeError as error:
        # All that Xet says of itself, where somebody wants it used.
        if constants.HF_HUB_DISABLE_XET:
            raise
        raise Unavailable(
            f"the Hub's store of large files fails ({str(error)[:200]})",
            where=where,
            todo="run again, or unset HF_HUB_DISABLE_XET",
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Unavailable(
            "the Hub gave an answer that is not understood", where=where, todo="run again"
        ) from None


def _not_brought(error: Exception, where: str, endpoint: str) -> SourceError:
    """The error for what did not arrive here, by where that lies: at this machine, or on the way."""
    if isinstance(error, errors.OfflineModeIsEnabled):
        return Unavailable("the Hub is not asked while HF_HUB_OFFLINE is set", where=where, todo="unset it")
    if isinstance(error, OSError) and error.errno in _OF_THE_DISK:
        return Unavailable(
            f"what the Hub sends cannot be kept ({error.strerror})",
            where=where,
            todo=f"make room and let it be written in {constants.HF_HUB_CACHE}, or set HF_HOME",
        )
    return _unreachable(where, endpoint)


def _unreachable(where: str, endpoint: str) -> SourceError:
    return Unavailable(
        f"the Hub at {endpoint} does not answer",
        where=where,
        todo="check HF_ENDPOINT and the network",
    )


def _elsewhere(error: errors.HfHubHTTPError, endpoint: str) -> str:
    """The host that refused, where it is another one than the Hub itself; else ""."""
    if error.response is None or error.response.headers.get("X-Error-Code"):
        return ""
    host = urlsplit(str(error.response.request.url)).netloc
    return "" if host == urlsplit(endpoint).netloc else host


def _refused(error: errors.HfHubHTTPError, where: str, endpoint: str, *, signed_in: bool) -> SourceError:
    status = error.response.status_code if error.response is not None else 0
    token = "the token" if signed_in else "no token"
    disabled = status == 451 or (status == 403 and "disabled" in str(error).lower())
    elsewhere = _elsewhere(error, endpoint)
    # The first that applies: to the client a gated dataset is a missing one too.
    meanings: list[tuple[bool, type[SourceError], str, str]] = [
        (
            # Its signed addresses run out, and proxies let nobody through: no token changes that.
            bool(elsewhere) and status < 500,
            Unavailable,
            f"{elsewhere}, where the Hub keeps this file, answered {status}",
            "run again; if it stays so, check that the network lets that host through",
        ),
        (
            isinstance(error, errors.GatedRepoError),
            AccessDenied,
            f"is gated, and {token} was given that may read it",
            "accept its terms on the Hub and give hf-token",
        ),
        (
            isinstance(error, errors.DisabledRepoError) or disabled,
            AccessDenied,
            "is disabled by the Hub",
            "nothing can be said of it now",
        ),
        (
            status == 401 and signed_in,
            AccessDenied,
            "the Hub does not accept the token",
            "check hf-token",
        ),
        (
            isinstance(error, errors.RevisionNotFoundError),
            RevisionGone,
            "has no such revision",
            "check the branch, tag or commit",
        ),
        (
            isinstance(error, errors.EntryNotFoundError),
            RevisionGone,
            "lists a file that the Hub does not hand out",
            "look for it on the Hub",
        ),
        (
            isinstance(error, errors.RepositoryNotFoundError) or status in {401, 404},
            DatasetNotFound,
            f"cannot be seen with {token}",
            "check the name; a private dataset needs hf-token",
        ),
        (status == 403, AccessDenied, f"may not be read with {token}", "check hf-token"),
    ]
    for applies, kind, what, todo in meanings:
        if applies:
            return kind(what, where=where, todo=todo)
    return Unavailable(f"the Hub answered {status}", where=where, todo="run again later")
