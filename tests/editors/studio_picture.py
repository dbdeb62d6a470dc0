"""Take the README's picture of the studio: `python -m tests.editors.studio_picture` in the root of a checkout."""

import asyncio
import tempfile
from pathlib import Path

from tests.editors.studio_host import running_studio
from tests.editors.vscode_screen import running_browser

IMAGE = Path(__file__).parents[2] / "docs" / "images" / "studio.png"


async def main() -> None:
    """Run a task of the demo, and open the step that its failed check is about."""
    with tempfile.TemporaryDirectory() as home, running_studio(Path(home), "--trust") as address:
        async with running_browser() as browser:
            page = await browser.new_page(viewport={"width": 1440, "height": 800})
            await page.goto(address)
            await page.locator(".outline button", has_text="writes-the-notes").click()
            await page.get_by_role("button", name="Problems").click()
            await page.locator(".lens", has_text="Run task").first.click()
            await page.locator(".lens", has_text="✗ 0.75").wait_for()
            await page.locator(".verdict", has_text="--output-dir").get_by_text("Show the step").click()
            await page.locator(".waza-trace").get_by_text("RELEASE.md, step 6").first.wait_for()
            await page.locator("footer .work").wait_for(state="detached")
            await page.locator(".outline, .lens", has_text="mutation score").first.wait_for()
            await page.screenshot(path=IMAGE)


if __name__ == "__main__":
    asyncio.run(main())
