# The tag, so that a user who builds this action gets the base image's latest security fixes; the digest is
# pinned by the release workflow, for the images that it publishes.
FROM python:3.13-slim AS build

# The environment gets no pip of its own: the image's pip installs into it from outside. The tests of pandas,
# NumPy and Arrow are a seventh of what they install.
COPY requirements/runtime.txt /tmp/runtime.txt
RUN python -m venv --without-pip /opt/venv \
    && python -m pip --python /opt/venv/bin/python install --no-cache-dir --disable-pip-version-check --no-compile \
        --require-hashes --only-binary :all: -r /tmp/runtime.txt \
    && find /opt/venv/lib -type d -name tests -prune -exec rm -r {} +

# The same layout as in a checkout, so that templates are found in one way.
COPY entrypoint.py /opt/benchaudit/
COPY benchaudit /opt/benchaudit/benchaudit
COPY templates /opt/benchaudit/templates

# Compiled here once, as every run of the action is a fresh container; "unchecked", because copying between
# stages may change the file times that Python would otherwise compare. A template is no program until it is filled.
RUN python -m compileall -q -j 0 --invalidation-mode unchecked-hash \
        /opt/venv/lib /opt/benchaudit/benchaudit /opt/benchaudit/entrypoint.py

FROM python:3.13-slim

# Version, revision and source are added when an image is published: only then are they known.
LABEL org.opencontainers.image.title="benchaudit" \
      org.opencontainers.image.description="Watches a benchmark's revisions on the Hugging Face Hub and reports answers that can be guessed without reading the question." \
      org.opencontainers.image.authors="The benchaudit authors" \
      org.opencontainers.image.licenses="MIT"

COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/benchaudit /opt/benchaudit

# Log lines reach the runner as they are written; nothing is compiled again into a container that is thrown away.
ENV PATH="/opt/venv/bin:$PATH" \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1

# No USER: the runner mounts the workspace and the GITHUB_* files as root, and another user could not write them.
# In full, as some runners hand their own PATH on to the container.
ENTRYPOINT ["/opt/venv/bin/python", "/opt/benchaudit/entrypoint.py"]
