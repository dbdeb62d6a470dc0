"""Which code actions a client asks for."""

from lsprotocol import types


def is_wanted(kind: str, context: types.CodeActionContext) -> bool:
    """Whether one of the kinds asked for is this one or above it; clients that want any kind name none."""
    return not context.only or any(
        it in {"", kind} or kind.startswith(f"{it}.") for it in map(_name, context.only)
    )


def is_asked(context: types.CodeActionContext) -> bool:
    """Whether a person asked, and not the editor by itself."""
    return context.trigger_kind is not types.CodeActionTriggerKind.Automatic


def _name(kind: types.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, types.CodeActionKind) else kind
