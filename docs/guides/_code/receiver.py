import base64
import hmac
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

KEY = base64.b64decode(os.environ["FICHARIO_SEGREDO"].removeprefix("whsec_"))
if not KEY:
    raise SystemExit("FICHARIO_SEGREDO is missing")


def verified(headers, body):
    sent = headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", sent) or abs(time.time() - int(sent)) > 300:
        return False
    text = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    want = b"v1," + base64.b64encode(hmac.digest(KEY, text, "sha256"))
    return any(hmac.compare_digest(one, want) for one in headers.get("webhook-signature", "").encode().split())


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        status = 204 if verified(self.headers, body) else 401
        if self.path != "/fichario":
            status = 404
        if status == 204:
            print(self.headers["webhook-id"], body.decode(), flush=True)
        self.send_response(status)
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ["PORT"])), Receiver).serve_forever()
