"""An agent that does what it is told: a word is a step. What it was asked stands in ``RAN``."""

import json
import os
import signal
import sys
import time
from pathlib import Path

sys.stdout.reconfigure(line_buffering=True)
text = json.loads(sys.stdin.readline())
with Path(os.environ["RAN"]).open("a", encoding="utf-8") as file:
    file.write(f"{text.splitlines()[0]}\n")
for word in text.splitlines()[0].split():
    match word:
        case "call" | "failing-call":
            failed = word == "failing-call"
            sys.stdout.write(f"{json.dumps({'tool': 'bash', 'input': {}, 'failed': failed})}\n")
        case "talk":
            sys.stdout.write("Let me see.\n")
        case "fail":
            sys.exit(1)
        case "kill-host":
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(30)
        case "listen":
            said = json.loads(sys.stdin.readline())
            with Path(os.environ["RAN"]).open("a", encoding="utf-8") as file:
                file.write(f"heard {said.splitlines()[0]}\n")
