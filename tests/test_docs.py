"""The documentation keeps up with the code: what is listed in one is found in the other."""

from pathlib import Path

import pytest

from headwater.server.app import ROUTES
from headwater.server.http import Route
from headwater.settings import SETTINGS, Setting

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_setting_is_on_the_operating_page(setting: Setting) -> None:
    page = DOCS / "operating.md"
    assert page.exists(), "docs/operating.md is missing; it lists the settings"
    text = page.read_text("utf-8")
    for name in (f"`{setting.name}`", setting.variable):
        assert name in text, f"docs/operating.md does not mention {name}: {setting.help}"


NATIVE = [route for route in ROUTES if not route.path.startswith(("/api/v1/", "/api/v2beta/"))]


@pytest.mark.parametrize("route", NATIVE, ids=lambda route: f"{route.method} {route.path}")
def test_every_native_route_is_on_the_api_page(route: Route) -> None:
    text = (DOCS / "api.md").read_text("utf-8")
    assert f"`{route.method} {route.path}`" in text or f"`{route.path}`" in text
