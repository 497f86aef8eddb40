"""Runs LocalStack in this process and ends with the process that started it, however that one ended."""

import os
import runpy
import threading
import time

parent = os.getppid()


def watch() -> None:
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


threading.Thread(target=watch, daemon=True).start()
runpy.run_module("localstack.runtime.main", run_name="__main__", alter_sys=True)
