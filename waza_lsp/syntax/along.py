"""Plain data along the way from the root of a document to a place, as much as choosing a schema takes."""

from typing import Any

from waza_engine.findings import Pointer
from waza_lsp.syntax.container import Container, Entry
from waza_lsp.syntax.flow import Alias, FlowPlace
from waza_lsp.syntax.node import Node


def way(
    container: Container,
    anchors: dict[str, Node],
    patch: dict[str | int, Any] | None = None,
    *,
    without: Entry | None = None,
) -> tuple[Pointer, Any]:
    """The pointer of a container, and plain data from the root along it with `patch` put into the container."""
    data = container.data(anchors, without)
    for part, value in (patch or {}).items():
        _put(data, part, value)
    pointer: Pointer = ()
    while container.owner is not None:
        owner = container.owner
        outer = owner.container.data(anchors)
        _put(outer, owner.part, data)
        pointer = (owner.part, *pointer)
        data, container = outer, owner.container
    return pointer, data


def _put(data: Any, part: str | int, value: Any) -> None:
    if isinstance(part, int):
        data += [None] * (part + 1 - len(data))
    data[part] = value


def flow_data(found: FlowPlace, anchors: dict[str, Node]) -> Any:
    """Plain data of the brackets around a cursor. Merge keys are applied."""
    data: Any = None
    inner: str | int | None = None
    for frame in reversed(found.frames):
        here: Any = _flow_map(frame.keys, anchors) if frame.is_map else [None] * (frame.index + 1)
        if inner is not None:
            _put(here, inner, data)
        data, inner = here, frame.part
    return data


def _flow_map(keys: dict[str, Any], anchors: dict[str, Node]) -> dict[str, Any]:
    sources = keys.get("<<")
    listed = sources if isinstance(sources, list) else [sources]
    merged = [_meant(it, anchors) for it in reversed(listed)]
    own = {key: _meant(value, anchors) for key, value in keys.items() if key != "<<"}
    return {**{key: value for it in merged if isinstance(it, dict) for key, value in it.items()}, **own}


def _meant(value: Any, anchors: dict[str, Node]) -> Any:
    """What an alias stands for; any other value as it is."""
    if not isinstance(value, Alias):
        return value
    return anchors[value.name].data(anchors) if value.name in anchors else None
