"""The viewer: a recording in the browser."""

from __future__ import annotations

import webbrowser
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ._huygens import ViewerServer

if TYPE_CHECKING:
    import os
    from types import TracebackType

    from typing_extensions import Self

__all__ = ["Viewer"]


class Viewer:
    """A server that shows a recording in the browser, on a separate thread, until it is stopped.

    A recording that is still growing is followed live. ``with`` stops the viewer at the end of its block::

        with hy.Viewer("run.hrec") as viewer:
            print(viewer.url)
            input("Enter ends the viewer")
    """

    __slots__ = ("_server",)

    def __init__(
        self,
        run: str | os.PathLike[str],
        *,
        port: int = 0,
        address: str = "127.0.0.1",
        hosts: Iterable[str] = (),
        interactive: bool = False,
    ) -> None:
        """Serve a recording, given as its file or as the folder of a run.

        Port 0 selects a free one. An ``address`` other than 127.0.0.1 admits other computers, and the token in the
        address is then sent unencrypted; ``hosts`` are names under which browsers reach this computer. The page can
        only watch; that of an ``interactive`` viewer can also steer a world, see `World.start_viewer`.
        """
        self._server = ViewerServer(run, port, address, list(hosts), interactive)

    @property
    def url(self) -> str:
        """The address to open in a browser; it contains the token that grants access."""
        return self._server.url

    @property
    def running(self) -> bool:
        """Whether it is still running."""
        return self._server.running

    def open(self) -> bool:
        """Open the page in the browser of this computer; return whether one was found."""
        return webbrowser.open(self.url)

    def stop(self) -> None:
        """Stop the server; further calls do nothing."""
        self._server.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        # Without the token, so that logs do not give it away.
        return f"<Viewer at {self.url.partition('/?')[0]}{'' if self.running else ', stopped'}>"
