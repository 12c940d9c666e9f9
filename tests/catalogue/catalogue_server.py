"""A small host on a socket: JSON-RPC over websockets, with agents that are records.

Who connects is told by the address (``/?client=c1&user=ann``): a real host has its own ways
to find out who somebody is.
"""

import asyncio
import json
import time
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from wakeful.catalogue import Catalogue, Mirror
from wakeful.catalogue.jsonrpc import notification, receive
from wakeful.model.events import GrantsChanged
from wakeful.testing import InMemoryHost


class SocketHost(InMemoryHost):
    """Keeps the clock, and sends what clients are told, each in its order."""

    def __init__(self):
        super().__init__()
        self.queues = {}
        self.now()
        self.catalogue = Catalogue(self, at=self.at, knowledge=self)

    def now(self):
        self.at = time.time_ns() // 1_000_000
        return self.at

    def tell(self, client, envelope):
        self.queues[client].put_nowait(notification(envelope))

    async def serve_connection(self, socket):
        asked = parse_qs(urlsplit(socket.request.path).query)
        (client,), (user,) = asked["client"], asked["user"]
        grants = ("automation:read", "automation:write", "session:read")
        self.catalogue.feed(GrantsChanged(principal=f"user:{user}", grants=grants, at=self.now()))
        queue = self.queues[client] = asyncio.Queue()
        self.catalogue.connect(client, f"user:{user}")
        sending = asyncio.create_task(self._send(socket, queue))
        try:
            async for text in socket:
                answer = receive(self.catalogue, client, text, at=self.now())
                if answer is not None:
                    queue.put_nowait(answer)
        finally:
            if self.queues.get(client) is queue:
                self.catalogue.disconnect(client)
            sending.cancel()

    async def _send(self, socket, queue):
        while True:
            try:
                await socket.send(await queue.get())
            except ConnectionClosed:
                return


def serving():
    """A server on a free port of the loopback, and its host."""
    host = SocketHost()
    return host, serve(host.serve_connection, "127.0.0.1", 0)


class SocketClient:
    """A client that reduces what it is told, and can wait for it."""

    def __init__(self, port, client, user):
        self._address = f"ws://127.0.0.1:{port}/?client={client}&user={user}"
        self.mirror = Mirror()
        self.told = []
        self._changed = asyncio.Condition()
        self._answers = {}
        self._ids = 0
        self._seq = 0

    async def __aenter__(self):
        await self.connect()
        return self

    async def __aexit__(self, *_exc):
        await self.drop()

    async def connect(self):
        self._socket = await connect(self._address)
        self._reading = asyncio.create_task(self._read())

    async def drop(self):
        """The connection breaks; what was on its way is lost."""
        self._reading.cancel()
        await self._socket.close()

    async def _read(self):
        async for text in self._socket:
            message = json.loads(text)
            async with self._changed:
                if message.get("method") == "action":
                    self.mirror.take(message["params"])
                    self.told.append(message["params"])
                else:
                    self._answers[message["id"]] = message
                self._changed.notify_all()

    async def until(self, predicate):
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(predicate), timeout=10)

    async def request(self, method, **params):
        self._ids += 1
        id_ = self._ids
        message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
        await self._socket.send(json.dumps(message))
        await self.until(lambda: id_ in self._answers)
        return self._answers.pop(id_)["result"]

    async def dispatch(self, channel, **action):
        self._seq += 1
        params = {"channel": channel, "clientSeq": self._seq, "action": action}
        message = {"jsonrpc": "2.0", "method": "dispatchAction", "params": params}
        await self._socket.send(json.dumps(message))

    async def subscribe(self, channel):
        result = await self.request("subscribe", channel=channel)
        self.mirror.take_snapshot(result["snapshot"])

    async def come_back(self):
        await self.connect()
        result = await self.request(
            "reconnect",
            lastSeenServerSeq=self.mirror.seen,
            subscriptions=list(self.mirror.subscriptions),
        )
        self.mirror.come_back(result)
        return result
