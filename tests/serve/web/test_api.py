"""What the API says of itself is so."""

from pathlib import Path

from fingal import __version__

from .pages import client


def test_about(tmp_path: Path) -> None:
    with client(tmp_path, engines=("mohex",), runs=tmp_path) as server:
        about = server.get("/api/about").json()
        assert about["version"] == __version__
        assert about["protocol"] == 1
        assert about["sizes"] == [3, 19]
        assert about["engines"] == ["htp:mohex"]
        assert about["runs"]
        assert "fingal-small" in about["nets"]
        kinds = {kind["name"] for kind in about["kinds"]}
        assert {"puct", "uct", "random"} <= kinds
        assert not {"human", "htp"} & kinds


def test_the_page_about_the_api_loads_nothing_from_elsewhere(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        page = server.get("/api/docs")
        assert page.status_code == 200
        assert "//" not in page.text.replace("<!doctype", "")
        for path, kind in (("/api/docs.js", "text/javascript"), ("/api/docs.css", "text/css")):
            assert path in page.text
            assert server.get(path).headers["content-type"].startswith(kind)
        api = server.get("/openapi.json").json()
        for path in ("/api/about", "/api/games", "/api/games/{id}", "/api/games/{id}/export", "/api/import"):
            assert path in api["paths"]
        for path in ("/api/puzzles", "/api/openings/{size}", "/api/runs", "/api/league"):
            assert path in api["paths"]


def test_the_messages_are_described(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        said = server.get("/api/messages").json()
        assert set(said["asked"]["discriminator"]["mapping"]) >= {"hello", "follow", "play", "review"}
        assert {"Changed", "Analysis", "Failed"} <= set(said["told"]["$defs"])


def test_the_page_itself_is_served(tmp_path: Path) -> None:
    with client(tmp_path) as server:
        assert '<script type="module"' in server.get("/").text
        assert server.get("/main.js").headers["content-type"].startswith("text/javascript")
        tag = server.get("/main.js").headers["etag"]
        assert server.get("/main.js", headers={"if-none-match": tag}).status_code == 304
