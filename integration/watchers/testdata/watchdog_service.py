"""A service that has watchdog watch the directory of its configuration, and reads it again when its path is in an event."""

import os
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

from watchdog.events import FileSystemEventHandler
from watchdog.observers import Observer

path, (host, port) = sys.argv[1], sys.argv[2].split(":")


class Configuration(FileSystemEventHandler):
    def __init__(self):
        self.read()

    def read(self):
        with open(path, "rb") as file:
            self.text = file.read()

    def on_any_event(self, event):
        if path in (event.src_path, getattr(event, "dest_path", None)):
            self.read()


configuration = Configuration()


class Service(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(configuration.text)


observer = Observer()
observer.schedule(configuration, os.path.dirname(path))
observer.start()
HTTPServer((host, int(port)), Service).serve_forever()
