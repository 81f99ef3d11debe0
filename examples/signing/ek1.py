"""EK1 for Python 3.8 and newer, standard library only.

    from ek1 import request          or:  python3 ek1.py GET /openapi/v1/me

Needs EVENKEEL_URL, EVENKEEL_ACCESS_KEY and EVENKEEL_SECRET_KEY.
"""
import hashlib
import hmac
import os
import sys
import time
import urllib.error
import urllib.request
import uuid
from urllib.parse import quote, unquote_to_bytes


def _encode(text):
    return quote(unquote_to_bytes(text.replace("+", " ")), safe="-._~")


def canonical_query(query):
    """Pairs encoded, then sorted by name and value."""
    pairs = []
    for pair in filter(None, query.split("&")):
        name, _, value = pair.partition("=")
        pairs.append((_encode(name), _encode(value)))
    return "&".join(name + "=" + value for name, value in sorted(pairs))


def sign(access_key, secret, method, target, body=b"", timestamp=None, nonce=None):
    """The four headers of a request. `target` is path and query, `body` the exact bytes that are sent."""
    path, _, query = target.partition("?")
    timestamp = timestamp or str(int(time.time()))
    nonce = nonce or uuid.uuid4().hex
    canonical = "\n".join([
        "EK1-HMAC-SHA256", access_key, timestamp, nonce, method, path,
        canonical_query(query), hashlib.sha256(body).hexdigest(),
    ])
    mac = hmac.new(secret.encode(), canonical.encode(), hashlib.sha256)
    return {
        "X-EK-Access-Key": access_key,
        "X-EK-Timestamp": timestamp,
        "X-EK-Nonce": nonce,
        "X-EK-Signature": "v1=" + mac.hexdigest(),
    }


def _headers(method, target, body):
    env = os.environ
    return sign(env["EVENKEEL_ACCESS_KEY"], env["EVENKEEL_SECRET_KEY"], method, target, body,
                env.get("EK1_TIMESTAMP"), env.get("EK1_NONCE"))


def request(method, target, body=""):
    """Signs and sends; returns the status and the text of the answer. `body` is JSON text."""
    data = body.encode()
    headers = _headers(method, target, data)
    if data:
        headers["Content-Type"] = "application/json"
    call = urllib.request.Request(os.environ["EVENKEEL_URL"] + target, data or None, headers, method=method)
    try:
        with urllib.request.urlopen(call, timeout=40) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as problem:
        return problem.code, problem.read().decode()


if __name__ == "__main__":
    METHOD, TARGET, BODY = (sys.argv[1:] + [""])[:3]
    if os.environ.get("EK1_PRINT"):
        print(_headers(METHOD, TARGET, BODY.encode())["X-EK-Signature"])
    else:
        print(request(METHOD, TARGET, BODY)[1])
