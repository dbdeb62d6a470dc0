"""`waza-lsp run --otel`: sending the spans of a run, to where the variables OTEL_EXPORTER_OTLP_... say."""

import logging
from typing import Any

from waza_engine.executors.base import UnavailableError
from waza_engine.runs.records import RunRecord
from waza_engine.runs.store import StoreError
from waza_engine.version import __version__

_INSTALL = "Sending traces needs OpenTelemetry; install it with: pip install 'waza-lsp[otel]'"
_BATCH = 500


def refuse_without_otel() -> None:
    """See that traces can be sent, before an agent is paid for.

    Raises:
        UnavailableError: the extra is not installed.

    """
    _exporter()


def send_traces(record: RunRecord, exporter: Any = None) -> str:
    """Send the spans of a run; what went wrong, or ""."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    from waza_engine.reports.traces import trace_run

    # It would tell of every attempt; we tell of what came of them.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    sender = _Sender(exporter or _exporter())
    provider = TracerProvider(
        resource=Resource.create({"service.name": "waza-lsp", "service.version": __version__}),
        shutdown_on_exit=False,
    )
    processor: Any = sender  # it has what a processor needs, and its base class is in the extra
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
        from opentelemetry.sdk import trace  # noqa: F401  # it must be there, too
    except ImportError as error:
        raise UnavailableError(_INSTALL) from error
    return OTLPSpanExporter()


class _Sender:
    """A span processor that sends in batches and knows what was lost: the SDK's own would only log that."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter
        self._waiting: list[Any] = []
        self.lost = 0

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """Nothing to do before the end."""

    def _on_ending(self, span: Any) -> None:
        """Nothing to do before the end."""

    def on_end(self, span: Any) -> None:
        self._waiting.append(span)
        if len(self._waiting) >= _BATCH:
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
