# The command line in a container: `docker build -t waza-lsp .`, then `docker run --rm -v "$PWD:/work" waza-lsp check`.
FROM python:3.13-slim AS build
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /source

FROM python:3.13-slim
# The versions and hashes that the extension's server has, too.
COPY editor-client/vscode/server/requirements.txt /tmp/requirements.txt
COPY --from=build /wheels /tmp/wheels
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r /tmp/requirements.txt \
    && pip install --no-cache-dir --no-deps --no-index /tmp/wheels/*.whl \
    && rm -r /tmp/wheels /tmp/requirements.txt \
    && useradd --create-home --uid 1000 waza
USER waza
WORKDIR /work
ENTRYPOINT ["waza-lsp"]
CMD ["--help"]
