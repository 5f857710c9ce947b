# The served lab: one small image, not root, healthy when the page answers.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 \
    PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    OPENBLAS_NUM_THREADS=1 \
    PORT=5006 \
    ALLOWED_ORIGINS=localhost:5006

WORKDIR /lab
COPY pyproject.toml setup.py constraints.txt README.md LICENSE ./
COPY lab lab
COPY app app
COPY static static
RUN pip install -c constraints.txt -e ".[app]" && useradd --create-home reader
USER reader

EXPOSE 5006
# a file asks no room to be made, and is late when the server is stuck
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD python -c "import os, urllib.request as u; u.urlopen(f'http://localhost:{os.environ[\"PORT\"]}/assets/icons/lab.svg', timeout=4)"

# ALLOWED_ORIGINS: the hosts readers come from, separated by commas, each as host:port or *
CMD ["sh", "-c", "exec python -m app.serve --address 0.0.0.0 --port $PORT --origins \"$ALLOWED_ORIGINS\""]
