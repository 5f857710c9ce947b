"""What a served lab gives out and what it refuses, asked without a browser."""

from __future__ import annotations

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest
from bokeh.util.token import (
    check_session_id_signature,
    get_session_id,
)

from app.serve import LARGEST_MESSAGE, command, sign_sessions
from lab.own_table import LARGEST_PART
from lab.training.corpus import MAX_BYTES
from tests.serving import Lab, faults
from tests.wire import Wire, connected, fresh_token, model, models, text

SECRET = "of these tests"
KEY = SECRET.encode()
URL = re.compile(r"(?:https?:)?//[\w.-]+\.\w+[^\s\"']*")
NAMESPACES = ("http://www.w3.org/", "https://www.w3.org/")


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    served = Lab(BOKEH_SECRET_KEY=SECRET)
    yield served
    served.stop()
    assert faults(served.log()) == []


def get(address: str, **headers: str) -> tuple[int, dict[str, str], str]:
    request = urllib.request.Request(address, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, dict(answer.headers), answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read().decode()


def token_of(page: str) -> str:
    (token,) = re.findall(r'"token":"([^"]+)"', page)
    return str(token)


async def pull(wire: Wire) -> dict[str, Any]:
    return await wire.document()


# sessions


def test_ids_of_sessions_are_signed_and_each_page_has_its_own(lab: Lab) -> None:
    tokens = [token_of(get(f"{lab.address}?room=build")[2]) for _ in range(2)]
    ids = [get_session_id(token) for token in tokens]
    assert ids[0] != ids[1]
    assert all(check_session_id_signature(one, KEY, signed=True) for one in ids)


def test_nobody_joins_a_session_by_a_link(lab: Lab) -> None:
    token = token_of(get(f"{lab.address}?room=build")[2])
    ours = get_session_id(token)
    for path in ("", "/autoload.js"):
        at = f"{lab.address}{path}?room=build&bokeh-autoload-element=x&text=the+cat&"
        for given in ("bokeh-session-id=forged", f"bokeh-session-id={ours}", f"bokeh-token={token}"):
            status, _, page = get(at + given)
            assert status == 403, given
            assert ours not in page
        assert get(at, **{"Bokeh-Session-Id": ours})[0] == 403
    # the page that says so leads to the same state in a session of one's own
    assert (
        'href="/main?room=build&amp;text=the+cat"'
        in get(f"{lab.address}?room=build&bokeh-token=&text=the+cat")[2]
    )


def test_nobody_joins_a_session_even_as_the_first_of_a_plain_panel_serve() -> None:
    plain = ("panel", "serve", "app/main.py", "--static-dirs", "assets=static")
    lab = Lab(command=plain, warm=False)
    try:
        assert '"token"' not in get(f"{lab.address}?room=build&bokeh-session-id=forged")[2]
        assert get(f"{lab.address}?room=build&bokeh-session-id=forged")[0] == 403
        assert token_of(get(f"{lab.address}?room=build")[2])
        assert get(f"http://127.0.0.1:{lab.port}/assets/js/page.js")[1]["Cache-Control"] == "no-cache"
    finally:
        lab.stop()


@pytest.mark.parametrize("token", [fresh_token(b"another key"), fresh_token(KEY, signed=False), "e30"])
def test_a_connection_with_a_forged_token_is_closed(token: str) -> None:
    # in a server of its own: Bokeh logs the refusal as an exception
    served = Lab(BOKEH_SECRET_KEY=SECRET)
    try:
        with pytest.raises(ConnectionError):
            connected(served.address, token, pull)
    finally:
        served.stop()


def test_without_a_key_each_start_has_one_of_its_own() -> None:
    one: dict[str, str] = {}
    other: dict[str, str] = {}
    sign_sessions(one)
    sign_sessions(other)
    assert len(one["BOKEH_SECRET_KEY"]) >= 32
    assert one["BOKEH_SECRET_KEY"] != other["BOKEH_SECRET_KEY"]
    given = {"BOKEH_SECRET_KEY": SECRET, "BOKEH_SIGN_SESSIONS": "no"}
    sign_sessions(given)
    assert given == {"BOKEH_SECRET_KEY": SECRET, "BOKEH_SIGN_SESSIONS": "yes"}


# the command


def options(line: list[str], name: str) -> list[str]:
    return [line[place + 1] for place, word in enumerate(line) if word == name]


def test_the_largest_message_is_a_part_of_a_file_or_a_pasted_text() -> None:
    assert LARGEST_MESSAGE > LARGEST_PART * 4 / 3 + 1000
    # a sign of a pasted text is at most \\uXXXX
    assert 6 * (MAX_BYTES + 1) < LARGEST_MESSAGE < 20_000_000


def test_the_command_listens_to_this_machine_unless_told_otherwise() -> None:
    line = command([])
    assert options(line, "--address") == ["localhost"]
    assert options(line, "--session-ids") == ["signed"]
    assert options(line, "--allow-websocket-origin") == ["localhost:5006", "127.0.0.1:5006"]
    assert options(line, "--websocket-max-message-size") == [str(LARGEST_MESSAGE)]
    line = command(
        ["--address", "0.0.0.0", "--port", "80", "--origins", "lab.example.org, *", "--num-procs", "2"]
    )
    assert options(line, "--address") == ["0.0.0.0"]
    assert options(line, "--port") == ["80"]
    assert options(line, "--allow-websocket-origin") == ["lab.example.org", "*"]
    assert options(line, "--num-procs") == ["2"]


# addresses, other hosts, stale files, the log


def foreign(document: Any) -> list[str]:
    return [url for url in URL.findall(json.dumps(document)) if not url.startswith(NAMESPACES)]


def test_a_session_made_by_its_connection_asks_no_other_host_and_keeps_its_state(lab: Lab) -> None:
    """So it is when the first session has ended meanwhile, or when another process gets the connection."""
    query = "room=build&text=the+cat&step=3"
    document = connected(lab.address, fresh_token(KEY), pull, query)
    assert foreign(document) == []
    sheets = re.findall(r'"url": "([^"]*\.css[^"]*)"', json.dumps(document))
    assert sheets
    for sheet in sheets:
        status, headers, _ = get(f"http://127.0.0.1:{lab.port}/{sheet}")
        assert (status, headers["Content-Type"]) == (200, "text/css")
    assert "Step 3" in text(model(document, "lab-figure-onehot"), "lab-caption")


def test_a_page_asks_no_other_host(lab: Lab) -> None:
    for query in ("", "?room=build"):
        page = get(lab.address + query)[2]
        assert foreign(page) == []
    document = connected(lab.address, token_of(page), pull)
    assert foreign(document) == []


@pytest.mark.parametrize(
    ("query", "host"),
    [
        ("room=build&example=own&text=what?is?it", ""),
        ("room=build&example=own&text=100%", ""),
        ("room=build&example=own&text=a#b", ""),
        ("room=build&step=3", "[::1]:5006"),
        ("room=build&step=3", "lab.example.org:80:80"),
        ("room=build&text=%ff%00%ed%a0%80", ""),
    ],
)
def test_odd_addresses_and_names_of_hosts_show_the_room(lab: Lab, query: str, host: str) -> None:
    headers = {"Host": host} if host else {}
    status, _, page = get(f"{lab.address}?{query}", **headers)
    assert status == 200
    document = connected(lab.address, token_of(page), pull)
    captions = [
        made for made in models(document) if "lab-caption" in made["attributes"].get("css_classes", ())
    ]
    assert any(text(made, "lab-caption") for made in captions)
    assert faults(lab.log()) == []


def test_a_text_with_a_question_mark_arrives_whole(lab: Lab) -> None:
    _, _, page = get(f"{lab.address}?room=build&example=own&step=1&text=cat?dog?")
    document = connected(lab.address, token_of(page), pull)
    assert '"cat?dog?"' in json.dumps(document)


def test_a_browser_asks_whether_its_copy_of_a_script_is_still_the_same(lab: Lab) -> None:
    for path in ("js/page.js", "css/page.css"):
        address = f"http://127.0.0.1:{lab.port}/assets/{path}"
        _, headers, _ = get(address)
        assert headers["Cache-Control"] == "no-cache"
        assert get(address, **{"If-None-Match": headers["Etag"]})[0] == 304
        assert get(address, **{"If-None-Match": '"older"'})[0] == 200
    assert get(f"{lab.address}?room=build")[1]["Cache-Control"] == "no-store"


def test_a_refused_value_is_not_repeated_in_the_log() -> None:
    lab = Lab()
    try:
        token = token_of(get(f"{lab.address}?room=build")[2])

        async def send_too_much(wire: Wire) -> str:
            document = await wire.document()
            field = model(document, "lab-select")
            return await wire.change(field["id"], "width", ["x" * 2_000_000])

        assert connected(lab.address, token, send_too_much) == "ERROR"
        assert faults(lab.log())
        assert len(lab.log()) < 20_000
    finally:
        lab.stop()
