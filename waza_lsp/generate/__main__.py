"""Write the generated files of this package into the checkout that is the working directory. Tests compare them."""

from pathlib import Path

from waza_lsp.generate.extension import MANIFEST, SNIPPETS, snippets, with_tools
from waza_lsp.generate.settings_page import PAGE, page, with_settings

if __name__ == "__main__":
    manifest = Path(MANIFEST).read_text(encoding="utf-8")
    for path, text in {
        PAGE: page(),
        SNIPPETS: snippets(),
        MANIFEST: with_tools(with_settings(manifest)),
    }.items():
        Path(path).write_text(text, encoding="utf-8")
