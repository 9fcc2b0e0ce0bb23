# What runs in CI. The first stage builds the wheel and an environment without pip; the second is
# Python, git and that environment. pip compiles every module, so a read-only container starts fast.
FROM python:3.12-slim AS build
WORKDIR /build
COPY requirements/build.txt requirements/runtime.txt requirements/
RUN python -m venv /opt/build \
 && /opt/build/bin/pip install --no-cache-dir --require-hashes -r requirements/build.txt \
 && python -m venv --without-pip /opt/draftgate \
 && /opt/build/bin/pip --python /opt/draftgate/bin/python install --no-cache-dir --require-hashes -r requirements/runtime.txt
COPY pyproject.toml README.md LICENSE ./
COPY src/ src/
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
 && /opt/build/bin/pip --python /opt/draftgate/bin/python install --no-deps --no-index dist/*.whl

FROM python:3.12-slim
# hadolint ignore=DL3008  # Debian keeps one version of git per release and drops the old one
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/draftgate /opt/draftgate
ENV PATH="/opt/draftgate/bin:$PATH"
# No USER: GitHub starts docker actions as root and mounts the workspace with another owner
# (https://docs.github.com/en/actions/reference/workflows-and-actions/dockerfile-support#user).
ENTRYPOINT ["draftgate"]
CMD ["run"]
