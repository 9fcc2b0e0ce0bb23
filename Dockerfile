# What runs in CI: Python, git and the program, with all its modules compiled, so that a read-only container starts fast.
# The first stage builds the wheel and an environment without pip, the second is the file system, the third writes down
# what is in it.
FROM docker.io/library/python:3.12-slim AS build
WORKDIR /build
COPY requirements/build.txt requirements/runtime.txt requirements/
RUN python -m venv /opt/build \
 && /opt/build/bin/pip install --no-cache-dir --require-hashes -r requirements/build.txt \
 && python -m venv --without-pip /opt/draftgate \
 && /opt/build/bin/pip --python /opt/draftgate/bin/python install --no-cache-dir --no-compile --require-hashes \
    -r requirements/runtime.txt
COPY requirements/sbom.txt requirements/
RUN python -m venv /opt/sbom \
 && /opt/sbom/bin/pip install --no-cache-dir --no-compile --require-hashes -r requirements/sbom.txt
COPY pyproject.toml README.md LICENSE ./
COPY src/ src/
# The mark tells the program that it is the image's: there it gives up root for the owner of the workspace.
RUN /opt/build/bin/pip wheel --no-deps --no-build-isolation --wheel-dir dist . \
 && /opt/build/bin/pip --python /opt/draftgate/bin/python install --no-compile --no-deps --no-index --find-links dist draftgate \
 && touch /opt/draftgate/is-image \
 && /opt/draftgate/bin/python -m compileall -q -f -j 0 --invalidation-mode unchecked-hash /opt/draftgate/lib

FROM docker.io/library/python:3.12-slim AS files
# hadolint ignore=DL3008  # Debian keeps one version of git per release and drops the old one
RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log
# The official image leaves out the compiled standard library. What is compiled here is taken without a look at the
# source, so that no time of a file matters.
RUN python -m compileall -q -f -j 0 --invalidation-mode unchecked-hash \
    -x '/(ensurepip|idlelib|lib2to3|site-packages|dist-packages|test|tkinter|turtledemo)/' \
    "$(python -c 'import sysconfig; print(sysconfig.get_path("stdlib"))')"
COPY --from=build /opt/draftgate /opt/draftgate
ENV PATH="/opt/draftgate/bin:$PATH"

FROM files AS sbom
COPY --from=build /opt/sbom /opt/sbom
COPY scripts/image-sbom /opt/sbom/bin/
RUN /opt/sbom/bin/python /opt/sbom/bin/image-sbom --environment /opt/draftgate \
    --base-python "$(/opt/draftgate/bin/python -c 'import sys; print(sys._base_executable)')" --output /draftgate.cdx.json

FROM files
COPY --from=sbom /draftgate.cdx.json /usr/share/sbom/draftgate.cdx.json
# No USER: GitHub starts docker actions as root and mounts the workspace with another owner
# (https://docs.github.com/en/actions/reference/workflows-and-actions/dockerfile-support#user).
ENTRYPOINT ["draftgate"]
CMD ["run"]
