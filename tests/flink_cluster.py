"""A standalone Flink cluster of the pip package: one job manager, and task managers to kill."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pyflink

HOME = Path(pyflink.__file__).parent


def free_port() -> int:
    with socket.socket() as given:
        given.bind(("127.0.0.1", 0))
        return given.getsockname()[1]


class Cluster:
    """Starts with a job manager and no task manager.

    Attributes:
        config: What a client needs to submit to it.
    """

    def __init__(self, folder: Path, *, mode: str = "thread", slots: int = 4, **more: str) -> None:
        self.folder = folder
        self._port = free_port()
        self._slots = slots
        self._processes: list[subprocess.Popen[bytes]] = []
        for name in ("conf", "lib", "log", "checkpoints", "savepoints"):
            (folder / name).mkdir(parents=True)
        for file in (HOME / "conf").glob("log4j*"):
            shutil.copy(file, folder / "conf")
        # In thread mode Python lives in the task manager's own process, and its native library
        # can be loaded by one class loader only: the cluster's, not that of each job.
        for jar in (*(HOME / "lib").glob("*.jar"), *(HOME / "opt").glob("flink-python*.jar")):
            (folder / "lib" / jar.name).symlink_to(jar)
        self.config = {
            "env.java.opts.all": _java_options(),
            "jobmanager.rpc.address": "localhost",
            "jobmanager.rpc.port": str(free_port()),
            "jobmanager.bind-host": "localhost",
            "jobmanager.memory.process.size": "1g",
            "taskmanager.host": "localhost",
            "taskmanager.bind-host": "localhost",
            "taskmanager.numberOfTaskSlots": str(slots),
            "taskmanager.memory.process.size": "1800m",
            "rest.address": "localhost",
            "rest.port": str(self._port),
            "rest.bind-port": str(self._port),
            "python.execution-mode": mode,
            "python.executable": sys.executable,
            "python.client.executable": sys.executable,
            "python.fn-execution.bundle.size": "1000",
            "python.fn-execution.bundle.time": "50",
            "execution.checkpointing.interval": "500ms",
            "execution.checkpointing.dir": f"file://{folder}/checkpoints",
            "execution.checkpointing.savepoint-dir": f"file://{folder}/savepoints",
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": "1000",
            "restart-strategy.fixed-delay.delay": "200ms",
            "web.refresh-interval": "200",
            "heartbeat.interval": "500",
            "heartbeat.timeout": "3000",
            "heartbeat.rpc-failure-threshold": "1",
            "slot.request.timeout": "120000",
            **more,
        }
        text = "".join(f"{key}: {value}\n" for key, value in self.config.items())
        (folder / "conf" / "config.yaml").write_text(text)
        self._start("jobmanager.sh", "start-foreground")
        until(lambda: self.get("/overview"), "the job manager")

    def start_task_manager(self, *paths: Path) -> "subprocess.Popen[bytes]":
        started = self._start("taskmanager.sh", "start-foreground", paths=paths)
        until(lambda: self.get("/overview")["slots-total"] == self._slots, "a task manager")
        return started

    def kill(self, process: "subprocess.Popen[bytes]") -> None:
        """SIGKILL: the shell that started it has become Java by then."""
        process.send_signal(signal.SIGKILL)
        process.wait()
        self._processes.remove(process)

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.kill()
            process.wait()

    # -- what the job manager says --------------------------------------------------------

    def get(self, path: str) -> Any:
        with urlopen(f"http://localhost:{self._port}{path}", timeout=5) as answer:
            return json.load(answer)

    def post(self, path: str, body: dict[str, Any]) -> Any:
        data = json.dumps(body).encode()
        request = Request(f"http://localhost:{self._port}{path}", data, method="POST")
        request.add_header("Content-Type", "application/json")
        with urlopen(request, timeout=30) as answer:
            return json.load(answer)

    def state(self, job: str) -> str:
        return self.get(f"/jobs/{job}")["state"]

    def failures(self, job: str) -> str:
        entries = self.get(f"/jobs/{job}/exceptions")["exceptionHistory"]["entries"]
        return "\n".join(entry["stacktrace"] for entry in entries)

    def wait(self, job: str, *, seconds: float = 120) -> None:
        """Wait until a job has finished well."""
        ends = ("FINISHED", "FAILED", "CANCELED")
        until(lambda: self.state(job) in ends, f"the end of {job}", seconds)
        assert self.state(job) == "FINISHED", self.failures(job)

    def is_running(self, job: str) -> bool:
        """Whether every task of a job runs."""
        told = self.get(f"/jobs/{job}")
        assert told["state"] != "FINISHED", "the job ended too soon"
        counts = told["status-counts"]
        return told["state"] == "RUNNING" and counts["RUNNING"] + counts["FINISHED"] == len(
            told["vertices"]
        )

    def restored_state(self, job: str) -> int:
        """How large the checkpoint was that a job was last started again from; 0 for none."""
        restored = self.get(f"/jobs/{job}/checkpoints")["latest"]["restored"]
        if restored is None:
            return 0
        return self.get(f"/jobs/{job}/checkpoints/details/{restored['id']}")["state_size"]

    def checkpoints(self, job: str) -> int:
        return self.get(f"/jobs/{job}/checkpoints")["counts"]["completed"]

    def stop_with_savepoint(self, job: str) -> str:
        """Stop a job; where its state was put."""
        path = f"/jobs/{job}/stop"
        trigger = self.post(path, {"drain": False})["request-id"]
        status: dict[str, Any] = {}

        def done() -> bool:
            status.update(self.get(f"/jobs/{job}/savepoints/{trigger}"))
            return status["status"]["id"] == "COMPLETED"

        until(done, "a savepoint")
        return status["operation"]["location"]

    def cancel(self, job: str) -> None:
        """Cancel a job, and wait until it is gone."""
        request = Request(f"http://localhost:{self._port}/jobs/{job}?mode=cancel", method="PATCH")
        urlopen(request, timeout=30).close()
        until(lambda: self.state(job) == "CANCELED", f"the end of {job}")

    def _start(self, *command: str, paths: Sequence[Path] = ()) -> "subprocess.Popen[bytes]":
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, (*paths, Path(__file__).parent))),
            "FLINK_CONF_DIR": str(self.folder / "conf"),
            "FLINK_LIB_DIR": str(self.folder / "lib"),
            "FLINK_LOG_DIR": str(self.folder / "log"),
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }
        name = f"{command[0]}-{len(list((self.folder / 'log').iterdir()))}.out"
        with (self.folder / "log" / name).open("wb") as out:
            process = subprocess.Popen(
                [str(HOME / "bin" / command[0]), *command[1:]],
                env=environment,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self._processes.append(process)
        return process


def until(holds: Callable[[], Any], what: str, seconds: float = 60) -> None:
    """Wait until something holds."""
    ends = time.monotonic() + seconds
    while True:
        try:
            if holds():
                return
        except OSError:
            pass
        if time.monotonic() > ends:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.1)


def written(folder: Path, name: str = "decisions") -> Iterator[dict[str, Any]]:
    """The lines of files that were completed."""
    for file in sorted((folder / name).glob("**/part-*")):
        for line in file.read_text(encoding="utf-8").splitlines():
            yield json.loads(line)


def _java_options() -> str:
    """What Flink needs opened of Java's modules, as its own configuration says it."""
    text = (HOME / "conf" / "config.yaml").read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if "--add-exports" in line)
    return line.partition(": ")[2].strip()
