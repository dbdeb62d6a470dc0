"""The families of models: judges prefer work of their own kind."""

_FAMILIES = {
    "GPT": ("gpt", "chatgpt", "codex", "o1", "o3", "o4"),
    "Claude": ("claude",),
    "Gemini": ("gemini", "gemma"),
    "Grok": ("grok",),
    "Llama": ("llama",),
    "Mistral": ("mistral", "mixtral", "codestral", "devstral"),
    "Qwen": ("qwen", "qwq"),
    "DeepSeek": ("deepseek",),
}


def model_family(model: str) -> str:
    """Return the family of a model by its name, also with a provider before it (`openai/gpt-5.2`); "" if unknown."""
    name = model.strip().rpartition("/")[2].lower()
    return next((it for it, beginnings in _FAMILIES.items() if name.startswith(beginnings)), "")
