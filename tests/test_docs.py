"""The documentation keeps up with the code: what is listed in one is found in the other."""

from pathlib import Path

import pytest

from headwater.settings import SETTINGS, Setting

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_on_the_operating_page(setting: Setting) -> None:
    page = DOCS / "operating.md"
    assert page.exists(), "docs/operating.md is missing; it lists the settings"
    text = page.read_text("utf-8")
    for name in (f"`{setting.name}`", setting.variable):
        assert name in text, f"docs/operating.md does not mention {name}: {setting.help}"
