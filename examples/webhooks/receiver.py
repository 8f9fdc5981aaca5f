"""Takes webhooks with Python 3.9 or newer and nothing else.

    WEBHOOK_SECRET=whsec_… python3 receiver.py

While you change over to another secret, set WEBHOOK_SECRET to both, separated by a blank.
"""

import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MOST_BYTES = 32_768
TOLERANCE_SECONDS = 300
SECRETS = [
    base64.b64decode(secret.removeprefix("whsec_"))
    for secret in os.environ["WEBHOOK_SECRET"].split()
]
# A program of yours keeps the ids in its database, with a unique key, in the transaction that handles the event.
seen = set()


def is_genuine(body: bytes, headers) -> bool:
    """Compares the signatures as Standard Webhooks says."""
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signed = f"{message_id}.{timestamp}.".encode() + body
    given = [
        signature[3:]
        for signature in headers.get("webhook-signature", "").split()
        if signature.startswith("v1,")
    ]
    for secret in SECRETS:
        expected = base64.b64encode(hmac.new(secret, signed, hashlib.sha256).digest()).decode()
        if any(hmac.compare_digest(expected.encode(), signature.encode()) for signature in given):
            return True
    return False


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers.get("content-length", "0"))
        body = self.rfile.read(length) if length <= MOST_BYTES else b""
        genuine = is_genuine(body, self.headers)
        # Answer soon, and work afterwards: an answer that takes over 15 seconds counts as none.
        self.send_response(204 if genuine else 401)
        self.send_header("content-length", "0")
        self.end_headers()
        message_id = self.headers.get("webhook-id", "")
        if not genuine or message_id in seen:
            return
        seen.add(message_id)
        event = json.loads(body)
        line = {"id": message_id, "type": event["type"], "data": event["data"]["data"]}
        print(json.dumps(line), flush=True)

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8787"))), Receiver).serve_forever()
