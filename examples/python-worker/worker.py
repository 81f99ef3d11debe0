#!/usr/bin/env python3
"""An Evenkeel worker with nothing but the standard library (Python 3.9 or later).

It speaks the protocol of docs/worker-protocol.md: registers, beats, verifies the signature of every order, runs handlers in threads,
reports results until they are acknowledged, ships log lines, obeys cancels, fences itself when the centre falls silent, and drains on
SIGTERM. To make it yours, change HANDLERS at the end of this file.

    EVENKEEL_URL=http://127.0.0.1:7300 EVENKEEL_WORKER_KEY=wk_... EVENKEEL_WORKER_SECRET=... python3 worker.py

Settings: EVENKEEL_GROUPS (comma-separated, default "default"), WORKER_ID, WORKER_SLOTS (default 4), WORKER_HOST, WORKER_PORT,
WORKER_ADVERTISE_URL, WORKER_DATA_DIR (default ".evenkeel-python"), WORKER_DRAIN_SECONDS (default 30).
"""

import hashlib
import heapq
import hmac
import http.client
import json
import os
import random
import re
import secrets
import signal
import socket
import sys
import threading
import time
import traceback
import zlib
from collections import OrderedDict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

BODY_LIMIT = 1024 * 1024
REQUEST_LIMIT = 512 * 1024
RESULT_LIMIT = 256 * 1024
CHECKPOINT_LIMIT = 64 * 1024
DEPTH_LIMIT = 29
LOG_LIMIT = 1024 * 1024
MESSAGE_LIMIT = 16 * 1024
WINDOW_SECONDS = 300
REMEMBERED_SECONDS = 3600
REFUSAL_GRACE_SECONDS = 600
ID = re.compile(r"^[\x21\x23-\x5b\x5d-\x7e]{1,64}$")
NONCE = re.compile(r"^[A-Za-z0-9_-]{16,64}$")
TIMESTAMP = re.compile(r"^[1-9][0-9]{9}$")
CANCEL_REASONS = ("cancelled", "timed_out", "replaced", "lease_lost", "draining")
mono = time.monotonic


def say(level, message, **fields):
    sys.stderr.write(json.dumps({"level": level, "message": message, **fields}, default=str) + "\n")


def levels(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else None
    return 0 if inner is None else 1 + max(map(levels, inner), default=0)


def to_json(value):
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def to_bytes(value):
    """JSON as it goes out. Half a surrogate pair, as in a file name that is no UTF-8, becomes its escape."""
    return to_json(value).encode("utf-8", "backslashreplace")


def to_text(value):
    """Text that every database and reader takes. Never raises: what was raised may have no text."""
    try:
        return str(value).encode("utf-8", "replace").decode()
    except Exception:
        return "[unreadable]"


# --- what handlers use ---------------------------------------------------------------------------------------------------------


class NonRetryable(Exception):
    """Ends the task without a retry, whatever its policy says."""


class RetryAfter(Exception):
    """Repeats the task, but not before so many milliseconds have passed."""

    def __init__(self, ms, message=""):
        super().__init__(message or "retry after %d ms" % ms)
        self.ms = int(ms)


class Aborted(Exception):
    """Raised by Context.check() and Context.sleep() when the attempt is asked to stop."""


class Context:
    """What a handler knows about its attempt."""

    def __init__(self, attempt, worker):
        order = attempt.order
        self._attempt, self._worker = attempt, worker
        self.task_id, self.lease, self.attempt = order["taskId"], order["lease"], order["attempt"]
        self.idempotency_key, self.traceparent = order["idempotencyKey"], order["traceparent"]
        self.scheduled_at, self.shard = order["scheduledAt"], order.get("shard")
        self.restored = order.get("checkpoint")

    @property
    def aborted(self):
        """None, or why the attempt must stop."""
        return self._attempt.aborted

    def check(self):
        if self._attempt.aborted:
            raise Aborted(self._attempt.aborted)

    def sleep(self, seconds):
        self._attempt.stop_asked.wait(seconds)
        self.check()

    def progress(self, done):
        if not 0 <= done <= 1:
            raise ValueError("progress: a number from 0 to 1")
        self._attempt.progress = done

    def checkpoint(self, state):
        if len(to_json(state).encode()) > CHECKPOINT_LIMIT:
            raise ValueError("checkpoint: larger than %d bytes" % CHECKPOINT_LIMIT)
        if levels(state) > DEPTH_LIMIT:
            raise ValueError("checkpoint: nested deeper than %d levels" % DEPTH_LIMIT)
        self._attempt.checkpoint = state
        self._attempt.checkpoint_version += 1
        self._worker.hasten()

    def log(self, message, level="info", **fields):
        say(level, message, taskId=self.task_id, attempt=self.attempt, **fields)
        self._worker.logs.write(self._attempt, level, message, fields)

    def owns(self, key):
        """Whether this shard does the work of the key; exactly one shard of a split owns each key."""
        value = zlib.crc32(str(key).encode())
        share = self.shard.get("share")
        if share is None:
            return value % self.shard["total"] == self.shard["index"]
        return share["from"] <= value / 2**32 < share["to"]


# --- signatures ----------------------------------------------------------------------------------------------------------------


def signature(secret, key, timestamp, nonce, method, path, body):
    lines = ["EK1-HMAC-SHA256", key, timestamp, nonce, method, path, "", hashlib.sha256(body).hexdigest()]
    return "v1=" + hmac.new(secret.encode(), "\n".join(lines).encode(), hashlib.sha256).hexdigest()


class CentreClock:
    """The centre's time, learned from its answers; this machine's clock may be wrong by hours."""

    def __init__(self):
        self._offset = time.time() - mono()

    def now(self):
        return mono() + self._offset

    def now_ms(self):
        return int(self.now() * 1000)

    def learn(self, answer, sent_at):
        told = answer.get("serverTime") if isinstance(answer, dict) else None
        if isinstance(told, (int, float)) and not isinstance(told, bool):
            self._offset = told / 1000 - (sent_at + mono()) / 2


# --- the line to the centre ------------------------------------------------------------------------------------------------------


class Refused(Exception):
    """Nobody listens there, or the centre says 5xx: nobody is giving this worker's attempts away."""


class Silent(Exception):
    """No answer: the centre may have acted."""


class Problem(Exception):
    def __init__(self, status, body):
        self.status, self.code = status, (body.get("code") if isinstance(body, dict) else None)
        super().__init__("%s %s %s" % (status, self.code, body.get("detail", "") if isinstance(body, dict) else ""))


class Centre:
    """Signed requests, to the first URL that answers; the one that answered last is asked first."""

    def __init__(self, urls, key, secret, clock):
        self.urls, self.key, self.secret, self.clock = list(urls), key, secret, clock
        self._preferred = 0

    def post(self, route, body, timeout):
        """The answer and when its request left. Raises Problem, Refused (everywhere, at once) or Silent."""
        data = to_bytes(body)
        silent = None
        for step in range(len(self.urls)):
            index = (self._preferred + step) % len(self.urls)
            try:
                answer = self._ask(self.urls[index], route, data, timeout / len(self.urls), True)
                self._preferred = index
                return answer
            except Problem as error:
                if error.status < 500:
                    raise
                last = error
            except ConnectionRefusedError as error:
                last = error
            except (OSError, http.client.HTTPException) as error:
                silent = last = error
        if silent is not None:
            raise Silent(str(silent))
        raise Refused(str(last))

    def _ask(self, url, route, data, timeout, again):
        base = urlsplit(url)
        path = base.path.rstrip("/") + route
        timestamp, nonce = str(int(self.clock.now())), secrets.token_urlsafe(16)
        headers = {
            "content-type": "application/json",
            "user-agent": "evenkeel-python-example/1",
            "x-ek-access-key": self.key,
            "x-ek-timestamp": timestamp,
            "x-ek-nonce": nonce,
            "x-ek-signature": signature(self.secret, self.key, timestamp, nonce, "POST", path, data),
        }
        secure = base.scheme == "https"
        connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = connect(base.hostname, base.port or (443 if secure else 80), timeout=timeout)
        sent_at = mono()
        try:
            connection.request("POST", path, data, headers)
            response = connection.getresponse()
            text = response.read(BODY_LIMIT)
        finally:
            connection.close()
        try:
            answer = json.loads(text)
        except ValueError:
            answer = {}
        self.clock.learn(answer, sent_at)
        if response.status < 300:
            return answer, sent_at
        if response.status == 401 and again and isinstance(answer, dict) and "serverTime" in answer:
            return self._ask(url, route, data, timeout, False)
        raise Problem(response.status, answer)


# --- attempts --------------------------------------------------------------------------------------------------------------------


class Attempt:
    def __init__(self, order):
        self.order, self.key = order, (order["taskId"], order["lease"])
        self.phase, self.progress = "queued", None
        self.checkpoint, self.checkpoint_version, self.checkpoint_told = None, 0, 0
        self.aborted, self.stop_asked, self.forgotten = None, threading.Event(), False
        self.log_seq, self.log_bytes, self.log_closed = 0, 0, False

    def abort(self, reason):
        """The first reason stands."""
        if self.aborted is None:
            self.aborted = reason
            self.stop_asked.set()

    def name(self):
        return {"taskId": self.key[0], "lease": self.key[1], "phase": self.phase}


class Journal:
    """
    Accepted orders and unacknowledged results on disk, a line each, written before anybody is told. A process that dies at any point
    finds them again: what was accepted is never run twice, what was not acknowledged is sent again. Rewritten when it has grown.
    """

    def __init__(self, folder, incarnation):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.accepted, self.unreported = OrderedDict(), OrderedDict()
        self._path, self._lock, self._life, self._lines = os.path.join(folder, "journal.log"), threading.Lock(), incarnation, 0
        if os.path.exists(self._path):
            with open(self._path, encoding="utf-8") as file:
                for line in file:
                    self._replay(line)
        self._rewrite()

    def accept(self, key):
        with self._lock:
            self.accepted[key] = time.time()
            self._append(["a", self.accepted[key], *key])

    def result(self, result):
        with self._lock:
            self.unreported[(result["taskId"], result["lease"])] = (self._life, result)
            self._append(["r", self._life, result])

    def acknowledged(self, key):
        with self._lock:
            if self.unreported.pop(key, None) is not None:
                self._append(["k", *key])

    def _replay(self, line):
        try:
            kind, second, *rest = json.loads(line)
        except ValueError:
            return  # A line that an earlier life did not finish.
        if kind == "a":
            self.accepted[(rest[0], rest[1])] = second
        elif kind == "r":
            self.unreported[(rest[0]["taskId"], rest[0]["lease"])] = (second, rest[0])
        elif kind == "k":
            self.unreported.pop((second, rest[0]), None)

    def _append(self, record):
        self._file.write(to_json(record) + "\n")
        self._file.flush()
        self._lines += 1
        if self._lines > 20000 + 2 * (len(self.accepted) + len(self.unreported)):
            self._file.close()
            self._rewrite()

    def _rewrite(self):
        """What is settled and what is old goes with the old file, which stands until the new one is complete."""
        while self.accepted and next(iter(self.accepted.values())) < time.time() - REMEMBERED_SECONDS:
            self.accepted.popitem(last=False)
        with open(self._path + ".new", "w", encoding="utf-8", errors="backslashreplace") as fresh:
            for key, at in self.accepted.items():
                fresh.write(to_json(["a", at, *key]) + "\n")
            for life, result in self.unreported.values():
                fresh.write(to_json(["r", life, result]) + "\n")
        os.replace(self._path + ".new", self._path)
        self._file, self._lines = open(self._path, "a", encoding="utf-8", errors="backslashreplace"), 0


class Logs:
    """Lines on their way to the centre: in order, in batches, bounded, and never worth waiting for."""

    def __init__(self, worker):
        self._worker, self._lines, self._bytes, self._off = worker, [], 0, False
        self._batch = []
        self._lock, self._shipping = threading.Lock(), threading.Lock()

    def write(self, attempt, level, message, fields):
        message = str(message).encode("utf-8", "replace")[:MESSAGE_LIMIT].decode("utf-8", "ignore")
        line = {"at": self._worker.clock.now_ms(), "level": level, "message": message}
        text = json.dumps(fields, default=str)
        if fields and len(text) <= MESSAGE_LIMIT:
            line["fields"] = json.loads(text)
        size = len(to_bytes(line)) + 200
        with self._lock:
            if self._off or attempt.log_closed or level == "debug":
                return
            attempt.log_bytes += size
            if attempt.log_bytes > LOG_LIMIT - 512:
                attempt.log_closed = True
                line = {**line, "level": "warn", "message": "log limit of 1 MiB reached: the further lines are not kept"}
                line.pop("fields", None)
            self._lines.append((attempt, line, size))
            self._bytes += size
            while self._bytes > 8 * BODY_LIMIT:
                self._bytes -= self._lines.pop(0)[2]

    def ship(self):
        """Sends what there is, one batch at a time; what cannot be sent now waits for the next call."""
        with self._shipping:
            while self._next_batch() and self._send():
                pass

    def _next_batch(self):
        """Numbers are given here, so that dropped lines leave no gap; a batch keeps its numbers until it has been taken."""
        with self._lock:
            size = 0
            while not self._batch or size:
                if not self._lines or (size and size + self._lines[0][2] > REQUEST_LIMIT - 1024):
                    break
                attempt, line, bytes_ = self._lines.pop(0)
                self._bytes -= bytes_
                size += bytes_
                attempt.log_seq += 1
                head = {"taskId": attempt.key[0], "lease": attempt.key[1], "attempt": attempt.order["attempt"]}
                self._batch.append({**head, "seq": attempt.log_seq, **line})
            return bool(self._batch)

    def _send(self):
        try:
            answer, _ = self._worker.centre.post("/worker/v1/logs", {**self._worker.identity, "lines": self._batch}, 5)
        except Problem as error:
            if error.status not in (400, 404, 413, 422):
                return False
            say("warn", "the centre does not take log lines", error=error)
            with self._lock:
                self._batch = []
                if error.status == 404:
                    self._off, self._lines, self._bytes = True, [], 0
            return error.status != 404
        except (Refused, Silent):
            return False
        self._batch = []
        for refused in answer.get("refused", []):
            attempt = self._worker.attempts.get((refused["taskId"], refused["lease"]))
            if attempt is not None:
                attempt.log_closed = True
        return True


class Worker:
    def __init__(self, settings, handlers):
        self.handlers, self.slots, self.queue = handlers, settings["slots"], 2 * settings["slots"]
        self.settings, self.clock = settings, CentreClock()
        self.centre = Centre(settings["urls"], settings["key"], settings["secret"], self.clock)
        self.identity = {"workerId": settings["worker_id"], "incarnation": new_incarnation()}
        self.journal = Journal(os.path.join(settings["data_dir"], settings["worker_id"]), self.identity["incarnation"])
        self.lock = threading.Condition(threading.RLock())
        self.attempts, self.waiting, self.running, self.arrivals = {}, [], 0, 0
        self.answers = OrderedDict((key, ("accepted", mono())) for key in self.journal.accepted)
        self.epochs, self.seq, self.costs = {}, 0, []
        self.outbox, self.outbox_changed = OrderedDict(), threading.Condition()
        self.logs = Logs(self)
        self.state, self.registered, self.left = "ready", False, threading.Event()
        self.heartbeat, self.lease, self.fence_at, self.heard_at = 5.0, 15.0, 0.0, 0.0
        self.beat_now = threading.Event()
        self.cpu = (time.process_time(), mono())

    # -- life

    def run(self):
        server = OrderServer((self.settings["host"], self.settings["port"]), order_handler(self))
        url = self.settings["advertise_url"] or "http://%s:%d" % (self.settings["host"], server.server_port)
        self.registration = {
            **self.identity,
            "groups": self.settings["groups"],
            "urls": [url],
            "handlers": [{"name": name} for name in self.handlers],
            "slots": self.slots,
            "sdk": "evenkeel-python-example/1",
        }
        threading.Thread(target=server.serve_forever, daemon=True).start()
        if not self.register(list(self.journal.unreported.values())):
            return
        for loop in [self.beat_loop, self.report_loop, self.watch_loop] + [self.run_loop] * self.slots:
            threading.Thread(target=loop, daemon=True).start()
        say("info", "worker registered", url=url, **self.identity)
        self.left.wait()
        server.shutdown()

    def register(self, unreported=()):
        """Asks until the centre is there; False if the worker was stopped meanwhile. Results that do not fit go ahead, in the name of the life that produced them."""
        along, ahead, size = [], [], 0
        for life, result in reversed(list(unreported)):
            size += len(to_bytes(result))
            (along if size < REQUEST_LIMIT - 65536 else ahead).append((life, result))
        failures = 0
        while True:
            if self.left.is_set():
                return False
            try:
                while ahead:
                    life, result = ahead[-1]
                    answer, _ = self.centre.post("/worker/v1/results", {**self.identity, "incarnation": life, "results": [result]}, 10)
                    self.settle(answer)
                    ahead.pop()
                body = {**self.registration, "unreported": [result for _, result in along]}
                answer, sent_at = self.centre.post("/worker/v1/register", body, 10)
                break
            except Problem as error:
                if error.code == "worker_id_in_use" or error.status in (400, 409, 422):
                    say("error", "the centre refuses this worker", error=error)
                    os._exit(1)
                say("error", "registration refused: will ask again", error=error)
            except (Refused, Silent) as error:
                say("warn", "centre not reached: will ask again", error=error)
            failures += 1
            time.sleep(min(0.25 * 2**failures, 10) * random.uniform(0.5, 1))
        self.heartbeat, self.lease = answer["heartbeatMs"] / 1000, answer["leaseMs"] / 1000
        self.acknowledged(sent_at)
        self.observe(answer.get("epochs", {}))
        self.settle(answer)
        self.registered = True
        return True

    def drain(self):
        """Refuses orders, finishes what it has, delivers the results, says goodbye, leaves."""
        with self.lock:
            if self.state == "draining":
                return
            self.state = "draining"
        self.hasten()
        self.wait_idle(self.settings["drain"])
        with self.lock:
            left = list(self.attempts.values())
        for attempt in left:
            self.stop_attempt(attempt, "draining")
        self.wait_idle(2)
        with self.lock:
            for attempt in list(self.attempts.values()):  # A handler that does not listen is given up.
                self.report(attempt, stopped(attempt), self.clock.now_ms(), self.clock.now_ms())
        end = mono() + 10
        with self.outbox_changed:
            while self.outbox and mono() < end:
                self.outbox_changed.wait(0.2)
        self.logs.ship()
        with self.lock:
            self.registered = False  # A beat that is answered 404 from here on must not bring it back.
        try:
            self.centre.post("/worker/v1/deregister", self.identity, 3)
        except (Problem, Refused, Silent) as error:
            say("warn", "not deregistered: the centre will notice by itself", error=error)
        say("info", "worker stopped", **self.identity)
        self.left.set()

    def wait_idle(self, seconds):
        end = mono() + seconds
        with self.lock:
            while (self.running or self.waiting) and mono() < end:
                self.lock.wait(min(0.2, max(0, end - mono())))

    # -- beats

    def hasten(self):
        self.beat_now.set()

    def next_seq(self):
        with self.lock:
            self.seq += 1
            return self.seq

    def room(self):
        if self.state != "ready" or self.fenced() or len(self.outbox) > 5000:
            return 0
        return max(0, self.slots + self.queue - self.running - len(self.waiting))

    def figures(self):
        with self.lock:
            queued = sum(1 for attempt in self.attempts.values() if attempt.phase == "queued")
            return {"seq": self.next_seq(), "active": self.running, "queued": queued, "freeSlots": self.room()}

    def beat_loop(self):
        while not self.left.is_set():
            started = mono()
            self.beat_now.clear()
            threading.Thread(target=self.beat, daemon=True).start()  # A slow answer must not hold up the next beat.
            self.beat_now.wait(max(0.05, self.heartbeat - (mono() - started)))
            if mono() - started < min(1.0, self.heartbeat):
                time.sleep(max(0, min(1.0, self.heartbeat) - (mono() - started)))

    def beat(self):
        with self.lock:
            named, told = [], []
            for attempt in self.attempts.values():
                report = attempt.name()
                if attempt.progress is not None:
                    report["progress"] = attempt.progress
                if attempt.checkpoint_version > attempt.checkpoint_told:
                    report["checkpoint"] = attempt.checkpoint
                    told.append((attempt, attempt.checkpoint_version))
                named.append(report)
            recent = [cost for at, cost in self.costs if at > mono() - 300]
            body = {**self.identity, **self.figures(), "state": self.state, "sentAt": self.clock.now_ms(), "attempts": named}
            body["avgCostMs"] = round(sum(recent) / len(recent), 2) if recent else 0
            body["cpuIdlePercent"] = self.cpu_idle()
        sent_at = mono()
        try:
            answer, sent_at = self.centre.post("/worker/v1/heartbeat", body, self.heartbeat * 0.8)
        except Problem as error:
            if error.status in (404, 409):
                return self.register_again()
            say("error", "heartbeat refused", error=error)
            if error.status in (400, 422):
                self.acknowledged(sent_at)  # It was heard; a field is wrong, and that is a fault to mend.
            return
        except Refused:
            # Nobody there gives this worker's attempts away; but not for ever.
            if not self.fenced():
                self.fence_at = max(self.fence_at, min(sent_at + self.lease, self.heard_at + REFUSAL_GRACE_SECONDS))
            return
        except Silent as error:
            return say("warn", "heartbeat not acknowledged", error=error)
        self.lease = answer.get("leaseMs", self.lease * 1000) / 1000
        self.check_fence()
        self.acknowledged(sent_at)
        for attempt, version in told:
            attempt.checkpoint_told = max(attempt.checkpoint_told, version)
        self.observe(answer.get("epochs", {}))
        self.cancel(answer.get("cancel", []))
        for each in answer.get("abandon", []):
            with self.lock:
                attempt = self.attempts.get((each["taskId"], each["lease"]))
                if attempt is not None and attempt.phase != "reporting":
                    attempt.forgotten = True
            if attempt is not None:
                self.stop_attempt(attempt, "lease_lost")

    def register_again(self):
        with self.lock:
            if not self.registered:
                return
            self.registered = False
        say("warn", "the centre does not know this worker: registering again")
        self.register()

    def cpu_idle(self):
        used, at = time.process_time(), mono()
        share = (used - self.cpu[0]) / max(0.001, (at - self.cpu[1]) * (os.cpu_count() or 1))
        self.cpu = (used, at)
        return round(100 * (1 - min(1, max(0, share))), 1)

    def acknowledged(self, sent_at):
        self.heard_at = max(self.heard_at, sent_at)
        self.fence_at = max(self.fence_at, sent_at + self.lease)

    def fenced(self):
        return mono() >= self.fence_at

    def check_fence(self):
        """After a silence of the length of the lease others may have been given these attempts."""
        if not self.fenced() or not self.registered:
            return
        with self.lock:
            attempts = [each for each in self.attempts.values() if each.phase != "reporting"]
        for attempt in attempts:
            self.stop_attempt(attempt, "lease_lost")

    def watch_loop(self):
        while not self.left.is_set():
            time.sleep(0.2)
            self.check_fence()
            with self.lock:
                attempts = list(self.attempts.values())
                while self.answers and next(iter(self.answers.values()))[1] < mono() - REMEMBERED_SECONDS:
                    self.answers.popitem(last=False)
                self.costs = [each for each in self.costs if each[0] > mono() - 300]
            for attempt in attempts:
                limit = attempt.order["timeoutMs"] / 1000
                if attempt.phase == "running" and limit and mono() - attempt.started > limit:
                    attempt.abort("timed_out")
            self.logs.ship()

    def observe(self, epochs):
        with self.lock:
            for partition, epoch in epochs.items():
                self.epochs[int(partition)] = max(epoch, self.epochs.get(int(partition), 0))

    # -- orders

    def take(self, request):
        """Answers an order. An answer to a (task, lease) is final, so it is looked up before anything else is looked at."""
        results = []
        self.check_fence()
        with self.lock:
            ours = all(request[name] == self.identity[name] for name in ("workerId", "incarnation"))
            seen = self.epochs.get(request["partition"], 0)
            for order in request["tasks"]:
                key = (order["taskId"], order["lease"])
                answer = {"taskId": key[0], "lease": key[1]}
                known = "accepted" if key in self.attempts else self.answers.get(key, (None,))[0]
                if not ours:
                    answer["outcome"] = "stale_incarnation"
                elif known is not None:
                    answer["outcome"] = "duplicate" if known == "accepted" else known
                elif request["epoch"] < seen:
                    answer.update(outcome="stale_epoch", seenEpoch=seen)
                else:
                    answer["outcome"] = self.decide(order)
                    self.answers[key] = (answer["outcome"], mono())
                    if answer["outcome"] == "accepted":
                        self.journal.accept(key)
                        attempt = self.attempts[key] = Attempt(order)
                        self.arrivals += 1
                        heapq.heappush(self.waiting, (-order["priority"], self.arrivals, attempt))
                say("info", "order received", **answer)
                results.append(answer)
            if ours:
                self.observe({request["partition"]: request["epoch"]})
            self.lock.notify_all()
            return {"results": results, **self.figures()}

    def decide(self, order):
        if self.fenced():
            return "no_lease"
        if self.state == "draining":
            return "draining"
        if order["handler"] not in self.handlers:
            return "unknown_handler"
        return "accepted" if self.room() > 0 else "busy"

    def cancel(self, orders):
        results = []
        for order in orders:
            key = (order["taskId"], order["lease"])
            with self.lock:
                attempt, known = self.attempts.get(key), self.answers.get(key, (None,))[0]
                if attempt is not None and attempt.phase != "reporting":
                    outcome = "stopping"
                elif known == "accepted":
                    outcome = "finished"
                else:
                    outcome = "unknown"
                    self.answers.setdefault(key, ("no_lease", mono()))  # The order may still come: it must not run then.
            if outcome == "stopping":
                self.stop_attempt(attempt, order["reason"])
            results.append({"taskId": key[0], "lease": key[1], "outcome": outcome})
        return {"results": results}

    def stop_attempt(self, attempt, reason):
        """A running handler is told; one that has not started never does."""
        with self.lock:
            attempt.abort(reason)
            if attempt.phase != "queued":
                return
            self.waiting = [each for each in self.waiting if each[2] is not attempt]
            heapq.heapify(self.waiting)
            now = self.clock.now_ms()
            self.report(attempt, stopped(attempt), now, now)

    def health(self):
        with self.lock:
            return {**self.identity, "state": self.state, "attempts": [each.name() for each in self.attempts.values()]}

    # -- work

    def run_loop(self):
        while True:
            with self.lock:
                while not self.waiting:
                    self.lock.wait()
                attempt = heapq.heappop(self.waiting)[2]
                attempt.phase, attempt.started = "running", mono()
                self.running += 1
            started_at = self.clock.now_ms()
            ending = self.call(attempt)
            with self.lock:
                self.running -= 1
                self.costs.append((mono(), (mono() - attempt.started) * 1000))
                self.report(attempt, ending, started_at, self.clock.now_ms())
                self.lock.notify_all()

    def call(self, attempt):
        try:
            result = self.handlers[attempt.order["handler"]](attempt.order["params"], Context(attempt, self))
        except BaseException as error:  # Whatever it is, the slot must be free again.
            return stopped(attempt) if attempt.aborted else failed(error)
        limit = attempt.order["timeoutMs"] / 1000
        if limit and mono() - attempt.started > limit:
            attempt.abort("timed_out")
        if attempt.aborted in ("cancelled", "replaced", "timed_out"):
            return stopped(attempt)
        return succeeded(result)

    def report(self, attempt, ending, started_at, ended_at):
        """Called with the lock held. On disk before it is sent."""
        if attempt.phase == "reporting":
            return
        attempt.phase = "reporting"
        if attempt.forgotten:
            del self.attempts[attempt.key]
            return
        result = {"taskId": attempt.key[0], "lease": attempt.key[1], **ending, "startedAt": started_at, "endedAt": ended_at}
        self.journal.result(result)
        with self.outbox_changed:
            self.outbox[attempt.key] = result
            self.outbox_changed.notify_all()

    def report_loop(self):
        failures = 0
        while not self.left.is_set():
            with self.outbox_changed:
                while not self.outbox:
                    self.outbox_changed.wait()
                batch, size = [], 0
                for result in self.outbox.values():
                    size += len(to_bytes(result))
                    if batch and (size > REQUEST_LIMIT - 4096 or len(batch) == 500):
                        break
                    batch.append(result)
            self.logs.ship()  # The last lines of an attempt go before its result.
            try:
                body = {**self.identity, "results": batch, "figures": self.figures()}
                answer, _ = self.centre.post("/worker/v1/results", body, 10)
                self.settle(answer)
                failures = 0
            except (Problem, Refused, Silent) as error:
                failures += 1
                if failures == 1:
                    say("warn", "results not delivered: kept and sent again", error=error)
                if isinstance(error, Problem) and error.status in (404, 409):
                    self.register_again()
                time.sleep(min(0.2 * 2**failures, 5) * random.uniform(0.5, 1))

    def settle(self, answer):
        """Any verdict ends the matter."""
        for ack in answer.get("acks", []):
            key = (ack["taskId"], ack["lease"])
            self.journal.acknowledged(key)
            with self.outbox_changed:
                self.outbox.pop(key, None)
                self.outbox_changed.notify_all()
            with self.lock:
                self.attempts.pop(key, None)


def stopped(attempt):
    reason = attempt.aborted
    if reason == "timed_out":
        message = "the handler ran longer than its limit of %d ms" % attempt.order["timeoutMs"]
        return {"outcome": "timed_out", "error": {"name": "AttemptTimedOut", "message": message}}
    outcome = "cancelled" if reason in ("cancelled", "replaced") else "drained"
    return {"outcome": outcome, "error": {"name": "AttemptAborted", "message": "the attempt was asked to stop: %s" % reason}}


def succeeded(result):
    try:
        size = len(to_json(result).encode())
    except (TypeError, ValueError, RecursionError) as error:
        return final("ResultNotJsonError", "the handler's result cannot be written as JSON: " + to_text(error))
    if levels(result) > DEPTH_LIMIT:
        return final("ResultTooDeepError", "the handler's result is nested deeper than %d levels" % DEPTH_LIMIT)
    if size > RESULT_LIMIT:
        return final("ResultTooLargeError", "the handler's result is %d bytes of JSON; the limit is %d" % (size, RESULT_LIMIT))
    return {"outcome": "succeeded", "result": result}


def final(name, message):
    return {"outcome": "failed", "error": {"name": name, "message": message[:4096], "retryable": False}}


def failed(error):
    stack = to_text(traceback.format_exc())
    told = {"name": to_text(type(error).__name__)[:128], "message": to_text(error)[:4096], "stack": stack[:16384]}
    if isinstance(error, NonRetryable):
        told["retryable"] = False
    if isinstance(error, RetryAfter):
        told["retryAfterMs"] = error.ms
    return {"outcome": "failed", "error": told}


def new_incarnation():
    """A UUIDv7 in 26 Crockford base32 characters: later lives sort after earlier ones."""
    value = (int(time.time() * 1000) << 80) | secrets.randbits(80)
    value = (value & ~(0xF << 76)) | (0x7 << 76)
    value = (value & ~(0x3 << 62)) | (0x2 << 62)
    return "".join("0123456789ABCDEFGHJKMNPQRSTVWXYZ"[(value >> 5 * place) & 31] for place in reversed(range(26)))


# --- the worker's own HTTP server ------------------------------------------------------------------------------------------------


class FieldWrong(Exception):
    def __init__(self, pointer, rule):
        super().__init__("%s: %s" % (pointer or "/", rule))
        self.pointer, self.rule = pointer, rule


def integer(value, pointer, low, high=2**53 - 1):
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise FieldWrong(pointer, "must be an integer from %d to %d" % (low, high))


def text(value, pointer, limit, pattern=None):
    if not isinstance(value, str) or not 1 <= len(value) <= limit or (pattern and not pattern.match(value)):
        raise FieldWrong(pointer, "must be a string of 1 to %d characters" % limit)


def tasks_of(body, check):
    if not isinstance(body, dict):
        raise FieldWrong("", "must be an object")
    if not isinstance(body.get("tasks"), list):
        raise FieldWrong("/tasks", "must be an array")
    for place, task in enumerate(body["tasks"]):
        at = "/tasks/%d" % place
        if not isinstance(task, dict):
            raise FieldWrong(at, "must be an object")
        text(task.get("taskId"), at + "/taskId", 64, ID)
        integer(task.get("lease"), at + "/lease", 0)
        check(task, at)
    return body


def check_order(order, at):
    if "params" not in order:
        raise FieldWrong(at + "/params", "is missing")
    integer(order.get("attempt"), at + "/attempt", 1)
    text(order.get("handler"), at + "/handler", 255)
    integer(order.get("priority"), at + "/priority", 1, 10)
    integer(order.get("timeoutMs"), at + "/timeoutMs", 0)
    integer(order.get("scheduledAt"), at + "/scheduledAt", 0)
    text(order.get("idempotencyKey"), at + "/idempotencyKey", 128)
    text(order.get("traceparent"), at + "/traceparent", 128)
    shard = order.get("shard")
    if shard is not None:
        if not isinstance(shard, dict):
            raise FieldWrong(at + "/shard", "must be an object")
        integer(shard.get("total"), at + "/shard/total", 1)
        integer(shard.get("index"), at + "/shard/index", 0, shard["total"] - 1)


def check_cancel(order, at):
    if order.get("reason") not in CANCEL_REASONS:
        raise FieldWrong(at + "/reason", "must be a known reason")


def run_request(body):
    body = tasks_of(body, check_order)
    integer(body.get("partition"), "/partition", 0)
    integer(body.get("epoch"), "/epoch", 0)
    text(body.get("workerId"), "/workerId", 64)
    text(body.get("incarnation"), "/incarnation", 64)
    return body


class OrderServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


def order_handler(worker):
    routes = {
        "/run": ("POST", lambda body: worker.take(run_request(body))),
        "/cancel": ("POST", lambda body: worker.cancel(tasks_of(body, check_cancel)["tasks"])),
        "/health": ("GET", lambda body: worker.health()),
    }
    key, secret = worker.settings["key"], worker.settings["secret"]

    class OrderHandler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 120
        disable_nagle_algorithm = True

        def do_GET(self):
            self.receive()

        do_POST = do_PUT = do_DELETE = do_PATCH = do_GET

        def receive(self):
            path = self.path.split("?")[0]
            if path not in routes:
                return self.refuse(404, "not_found", "no such route")
            method, act = routes[path]
            if self.command != method:
                return self.refuse(405, "method_not_allowed", "%s takes %s" % (path, method))
            length = self.headers.get("content-length") or "0"
            if not length.isdigit() or "transfer-encoding" in self.headers:
                return self.refuse(400, "invalid_json", "a content-length is needed")
            if int(length) > BODY_LIMIT:
                return self.refuse(413, "payload_too_large", "the body is larger than %d bytes" % BODY_LIMIT)
            body = self.rfile.read(int(length))
            if not self.signed(method, body):
                return self.refuse(401, "auth_failed", "the request is not signed with this worker key")
            try:
                self.answer(200, act(json.loads(body) if method == "POST" else None))
            except FieldWrong as error:
                fields = [{"pointer": error.pointer, "code": "invalid", "message": error.rule}]
                self.refuse(400, "validation_failed", str(error), errors=fields)
            except (ValueError, RecursionError):
                self.refuse(400, "invalid_json", "the body is not JSON")

        def signed(self, method, body):
            def header(name):
                values = self.headers.get_all("x-ek-" + name) or []
                return values[0] if len(values) == 1 else ""

            timestamp, nonce, given = header("timestamp"), header("nonce"), header("signature")
            if not TIMESTAMP.match(timestamp) or not NONCE.match(nonce):
                return False
            if abs(int(worker.clock.now()) - int(timestamp)) > WINDOW_SECONDS or "?" in self.path:
                return False
            expected = signature(secret, key, timestamp, nonce, method, self.path, body)
            return hmac.compare_digest(expected.encode(), given.encode("latin-1", "replace")) and hmac.compare_digest(
                header("access-key").encode("latin-1", "replace"), key.encode()
            )

        def answer(self, status, body, kind="application/json"):
            data = to_bytes(body)
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            if self.close_connection:
                self.send_header("connection", "close")
            self.end_headers()
            self.wfile.write(data)

        def refuse(self, status, code, detail, **more):
            if status != 400:
                self.close_connection = True  # The body may be unread.
            problem = {"type": "about:blank", "title": code.replace("_", " "), "status": status, "detail": detail, "code": code, **more}
            self.answer(status, problem, "application/problem+json")

        def log_message(self, *_):
            pass

    return OrderHandler


def settings_from(env):
    missing = [name for name in ("EVENKEEL_URL", "EVENKEEL_WORKER_KEY", "EVENKEEL_WORKER_SECRET") if not env.get(name)]
    if missing:
        sys.exit("set " + ", ".join(missing))
    return {
        "urls": env["EVENKEEL_URL"].split(","),
        "key": env["EVENKEEL_WORKER_KEY"],
        "secret": env["EVENKEEL_WORKER_SECRET"],
        "groups": env.get("EVENKEEL_GROUPS", "default").split(","),
        "worker_id": env.get("WORKER_ID") or "python-" + re.sub("[^A-Za-z0-9.-]", "-", socket.gethostname())[:50],
        "slots": int(env.get("WORKER_SLOTS", "4")),
        "host": env.get("WORKER_HOST", "127.0.0.1"),
        "port": int(env.get("WORKER_PORT", "0")),
        "advertise_url": env.get("WORKER_ADVERTISE_URL"),
        "data_dir": env.get("WORKER_DATA_DIR", ".evenkeel-python"),
        "drain": float(env.get("WORKER_DRAIN_SECONDS", "30")),
    }


# --- the handlers: replace them with yours ---------------------------------------------------------------------------------------


def echo(params, ctx):
    ctx.log("echoing")
    return params


def sleep(params, ctx):
    ms = (params or {}).get("ms", 1000)
    for part in range(10):
        ctx.sleep(ms / 10000)
        ctx.progress((part + 1) / 10)
    return {"sleptMs": ms}


def fail(params, ctx):
    raise NonRetryable((params or {}).get("message", "the fail handler fails"))


HANDLERS = {"echo": echo, "sleep": sleep, "fail": fail}

if __name__ == "__main__":
    the_worker = Worker(settings_from(os.environ), HANDLERS)
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda *_: threading.Thread(target=the_worker.drain, daemon=True).start())
    the_worker.run()
