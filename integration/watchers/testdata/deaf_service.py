"""A service that reads its configuration at the start and never again."""

import sys
from http.server import BaseHTTPRequestHandler, HTTPServer

path, (host, port) = sys.argv[1], sys.argv[2].split(":")
with open(path, "rb") as file:
    text = file.read()


class Service(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(text)


HTTPServer((host, int(port)), Service).serve_forever()
