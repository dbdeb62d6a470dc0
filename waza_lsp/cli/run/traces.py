"""Send the spans of a run with OpenTelemetry, as `--otel` asks for."""

import logging
from typing import Any

from waza_engine.executors.base import UnavailableError
from waza_engine.lib.extras import install_command
from waza_engine.model.results.records import RunRecord
from waza_engine.runs.store.errors import StoreError
from waza_engine.version import __version__

_OTEL_BATCH = 500


def refuse_without_otel() -> None:
    """Check that traces can be sent, before an agent is paid for.

    Raises:
        UnavailableError: the extra is not installed.

    """
    _exporter()


def send_traces(record: RunRecord, exporter: Any = None) -> str:
    """Send the spans of a run with OpenTelemetry and return the error, or ""."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    from waza_engine.reports.traces import trace_run

    # OpenTelemetry would log each attempt; this function returns the outcome.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    sender = _Sender(exporter or _exporter())
    provider = TracerProvider(
        resource=Resource.create({"service.name": "waza-lsp", "service.version": __version__}),
        shutdown_on_exit=False,
    )
    processor: Any = sender  # It has a processor's methods; the base class is in the extra.
    provider.add_span_processor(processor)
    try:
        trace_run(record, provider.get_tracer("waza-lsp", __version__))
    except StoreError as error:
        return f"The traces are not complete: {error}"
    finally:
        provider.shutdown()
    return f"{sender.lost} spans could not be sent; is a collector listening?" if sender.lost else ""


def _exporter() -> Any:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk import trace  # noqa: F401  # must be installed, too
    except ImportError as error:
        raise UnavailableError(
            f"OpenTelemetry is not installed. Install it with: {install_command('otel')}"
        ) from error
    return OTLPSpanExporter()


class _Sender:
    """A span processor that sends batches and counts lost spans; the SDK's own only logs losses."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter
        self._waiting: list[Any] = []
        self.lost = 0

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """Do nothing before a span ends."""

    def _on_ending(self, span: Any) -> None:
        """Do nothing before a span ends."""

    def on_end(self, span: Any) -> None:
        self._waiting.append(span)
        if len(self._waiting) >= _OTEL_BATCH:
            self.force_flush()

    def force_flush(self, timeout_millis: int = 0) -> bool:
        from opentelemetry.sdk.trace.export import SpanExportResult

        batch, self._waiting = self._waiting, []
        if batch and self._exporter.export(batch) is not SpanExportResult.SUCCESS:
            self.lost += len(batch)
        return True

    def shutdown(self) -> None:
        self.force_flush()
        self._exporter.shutdown()
