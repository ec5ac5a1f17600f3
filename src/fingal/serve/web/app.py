"""The application: pages, the HTTP API, the socket, and what lives as long as the server does."""

from __future__ import annotations

import asyncio
import contextlib
import mimetypes
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from pydantic import BaseModel, Field, TypeAdapter
from starlette.exceptions import HTTPException
from starlette.websockets import WebSocket

from fingal import __version__
from fingal.arena import levels
from fingal.serve.web import exchange, messages, openings, puzzles, watch
from fingal.serve.web.access import Access
from fingal.serve.web.games import Games
from fingal.serve.web.guard import Buckets, Doors, Guard
from fingal.serve.web.looks import Minds
from fingal.serve.web.refusal import STATUS, Code, Refusal
from fingal.serve.web.searches import Searches
from fingal.serve.web.seats import Seats, nets
from fingal.serve.web.socket import TRY_LATER, Page
from fingal.serve.web.store import Store

STATIC = Path(__file__).parent / "static"
API_PAGE = Path(__file__).parent / "api_page"
SERVICE_RESTART = 1012
"""What pages are told when the server stops: they come back by themselves."""
CLOSING_SECONDS = 5.0
EMPTY = "<!doctype html><title>Fingal</title><p>Fingal is here; its page is not.</p>"
"""Where the page's files are missing."""


@dataclass(frozen=True)
class Options:
    """How one server is run."""

    data: Path
    """The folder of its games."""
    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()
    """Other names that it goes by, where it is not at loopback."""
    engines: tuple[str, ...] = ()
    """Commands of HTP engines that may play."""
    runs: Path = Path("runs")
    """The folder of training runs to watch."""
    searches: int | None = None
    """How many at a time; as many as there are cores, if not given."""
    connections: int = 400
    """Sockets at a time,"""
    connections_of_one: int = 300
    """and of one address."""
    requests: tuple[float, float] = (100.0, 600.0)
    """HTTP requests of one address: a second, and at once."""
    token: str | None = None
    """Without which nothing is served; None where everybody who reaches the server is served."""
    static: Path = field(default=STATIC)


TOLD: TypeAdapter[Any] = TypeAdapter(
    messages.Done
    | messages.Failed
    | messages.Whole
    | messages.Changed
    | messages.Analysis
    | messages.Thought
    | messages.Advice
    | messages.Warned
    | messages.Knowledge
    | messages.Found
)


class Level(BaseModel):
    """An opponent with a name."""

    name: str
    title: str
    text: str
    player: str
    elo: dict[str, tuple[float, float, float]]
    """By the size of the board: Elo and the ends of its interval."""


class About(BaseModel):
    """What a server is and can do."""

    version: str
    protocol: int
    levels: list[Level]
    """The weakest first."""
    kinds: list[dict[str, Any]]
    """Of players, with their settings."""
    nets: list[str]
    sizes: tuple[int, int]
    """The smallest and the largest side of a board."""
    htp: bool
    """Whether there are engines of one's own: those of ``engines``."""
    engines: list[str]
    runs: bool
    """Whether there is a folder of runs to watch."""


class NewGame(messages.Settings):
    """What is agreed on before a game, and the game it begins from, if any."""

    text: Annotated[str, Field(max_length=messages.MOST_BYTES)] | None = None


class Text(BaseModel):
    """A game, or a collection of games, in any format."""

    text: Annotated[str, Field(max_length=messages.MOST_BYTES)]


class Error(BaseModel):
    """Why a request was not carried out: a code, and one sentence for a person."""

    code: Code
    message: str


class GameList(BaseModel):
    """Games, those that were changed last first."""

    games: list[messages.Summary]


def create(options: Options) -> FastAPI:
    """The application of one server, its store open until it stops; ValueError when the store cannot be opened."""
    seats = Seats(options.engines)
    store = Store(options.data / "games.sqlite")
    pages: dict[Page, None] = {}
    """The oldest first."""

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        games = Games(store, seats.names)
        searches = Searches(options.searches)
        app.state.games = games
        app.state.minds = Minds.of(games, searches, seats)
        app.state.reader = exchange.Reader()
        app.state.writer = exchange.Writer()
        try:
            yield
        finally:
            for page in list(pages):
                page.cut(SERVICE_RESTART)
            # A search that does not stop must not keep the server: its thread goes with the process.
            closing = threading.Thread(target=searches.close, daemon=True)
            closing.start()
            await asyncio.to_thread(closing.join, CLOSING_SECONDS)
            await games.close()

    # FastAPI's own documentation pages load scripts from elsewhere.
    app = FastAPI(
        title="Fingal",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        responses={400: {"model": Error}, 404: {"model": Error}},
    )
    app.state.pages = pages
    app.add_middleware(
        Guard,
        doors=Doors.of(options.host, options.names),
        requests=Buckets(*options.requests),
        access=None if options.token is None else Access(options.token),
    )
    _handle_errors(app)

    def games(request: Request) -> Games:
        found: Games = request.app.state.games
        return found

    @app.get("/api/about")
    async def about() -> About:
        """What this server is and can do."""
        return About(
            version=__version__,
            protocol=messages.VERSION,
            levels=[Level(**level) for level in levels.about()],
            kinds=seats.about(),
            nets=list(nets()),
            sizes=(3, 19),
            htp=bool(options.engines),
            engines=[f"htp:{command}" for command in options.engines],
            runs=options.runs.is_dir(),
        )

    @app.get("/api/messages")
    async def socket_messages() -> dict[str, Any]:
        """The messages of the socket, as JSON Schema: what may be asked, and what is told."""
        asked = messages.ASKED.json_schema()
        return {"version": messages.VERSION, "asked": asked, "told": TOLD.json_schema(mode="serialization")}

    @app.get("/api/games")
    async def list_games(
        request: Request, limit: Annotated[int, Query(ge=1, le=200)] = 50, before: float | None = None
    ) -> GameList:
        """The games that were changed last."""
        return GameList(games=await games(request).summaries(limit, before))

    @app.post("/api/games")
    async def new_game(request: Request, body: NewGame) -> messages.Game:
        """A new game, from a text where one is given."""
        reader: exchange.Reader = request.app.state.reader
        record = None if body.text is None else (await reader.read(body.text, 1))[0]
        settings = messages.Settings(**body.model_dump(exclude={"text", "clock"}), clock=body.clock)
        found = games(request)
        return (await found.create(settings, record)).whole(found.now())

    @app.get("/api/games/{id}")
    async def one_game(request: Request, id: messages.GameId) -> messages.Game:
        """A game with all its variations."""
        found = games(request)
        return (await found.get(id)).whole(found.now())

    @app.delete("/api/games/{id}")
    async def delete_game(request: Request, id: messages.GameId) -> dict[str, bool]:
        """Delete a game for good."""
        await games(request).delete(id)
        return {"deleted": True}

    @app.post("/api/import")
    async def import_games(request: Request, body: Text) -> GameList:
        """Games from a text: SGF (a collection gives several), LittleGolem, HexWorld, trmph, or moves."""
        reader: exchange.Reader = request.app.state.reader
        records = await reader.read(body.text, exchange.MOST_GAMES)
        made = [await games(request).create(exchange.settings(record), record) for record in records]
        return GameList(games=[game.summary() for game in made])

    @app.get("/api/games/{id}/export", response_class=Response)
    async def export_game(
        request: Request,
        id: messages.GameId,
        format: exchange.Format = "sgf",
        node: messages.NodeId | None = None,
        numbers: bool = False,
        theme: exchange.Theme = "black-white",
    ) -> Response:
        """A game as a text, a picture of a node, or a replay of the moves up to it."""
        writer: exchange.Writer = request.app.state.writer
        file = await writer.write(await games(request).get(id), format, node, numbers, theme)
        named = {"content-disposition": f'attachment; filename="{file.name}"'}
        return Response(file.content, media_type=file.type, headers=named)

    @app.websocket("/ws")
    async def socket(socket: WebSocket) -> None:
        address = socket.client.host if socket.client is not None else ""
        same = [page for page in pages if page.address == address]
        crowd = same if len(same) >= options.connections_of_one else pages if len(pages) >= options.connections else ()
        if crowd:
            # A socket that has said nothing gives way to one that may.
            silent = next((page for page in crowd if not page.greeted), None)
            if silent is None:
                return await socket.close(TRY_LATER, "too many connections")
            del pages[silent]
            silent.cut(TRY_LATER)
        page = Page(socket, app.state.minds)
        pages[page] = None
        try:
            await page.serve()
        finally:
            pages.pop(page, None)

    for router in (puzzles.router(), openings.router(), watch.router(options.runs)):
        app.include_router(router)

    @app.get("/api/docs", include_in_schema=False)
    async def docs() -> FileResponse:
        return FileResponse(API_PAGE / "api.html")

    @app.get("/api/docs.js", include_in_schema=False)
    async def docs_script() -> FileResponse:
        return FileResponse(API_PAGE / "api.js", media_type="text/javascript")

    @app.get("/api/docs.css", include_in_schema=False)
    async def docs_style() -> FileResponse:
        return FileResponse(API_PAGE / "api.css", media_type="text/css")

    _serve_static(app, options.static)
    return app


def _serve_static(app: FastAPI, folder: Path) -> None:
    # What the system believes of endings must not matter: a module of another type is not run.
    for kind, ending in (("text/javascript", ".js"), ("text/css", ".css"), ("image/svg+xml", ".svg")):
        mimetypes.add_type(kind, ending)
    if (folder / "index.html").is_file():
        app.mount("/", StaticFiles(directory=folder, html=True), name="static")
        return

    @app.get("/", include_in_schema=False)
    async def nothing() -> HTMLResponse:
        return HTMLResponse(EMPTY)


def _handle_errors(app: FastAPI) -> None:
    def answer(code: Code, message: str, status: int | None = None) -> JSONResponse:
        return JSONResponse({"code": code, "message": message}, status or STATUS[code])

    @app.exception_handler(Refusal)
    async def refused(request: Request, refusal: Refusal) -> JSONResponse:
        return answer(refusal.code, refusal.message)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        return answer("bad_message", f"{place}: {first['msg']}"[:300])

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        codes: dict[int, Code] = {400: "bad_message", 404: "not_found"}
        code = codes.get(error.status_code, "refused")
        return answer(code, f"{request.method} {request.url.path[:80]}: {error.detail}", error.status_code)
