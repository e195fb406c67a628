#!/usr/bin/env python3
"""Differential case runner: drives an operator binary through its Kubernetes API and compares what it did.

Standard library and PyYAML only. The format of a case is described in README.md.
"""
import argparse
import base64
import concurrent.futures
import copy
import difflib
import fcntl
import hashlib
import http.client
import importlib.util
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import uuid

import yaml

from ports import free_port

Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
HERE = os.path.dirname(os.path.abspath(__file__))
MANAGER = "case-runner"
GROUP = "external-secrets.io"
GEN = "generators.external-secrets.io"
SETTLE = 2.0        # how long a view must not change before it is recorded
HOLD = 1.2          # how long a match must hold before it counts
RECORD_LIMIT = 40   # the most seconds to wait for a view to become stable
MATCH_LIMIT = 90    # the most seconds to wait for a match; a case about a bug is known not to match
BUG_LIMIT = 25
START_LIMIT = 180   # the most seconds a server may take to answer for the first time
CONDITION_LIMIT = 12  # the most seconds to wait for a first status condition
STRICT_EVENTS = False  # whether event messages count in a comparison
STATUS_KINDS = {"ExternalSecret", "SecretStore", "ClusterSecretStore", "PushSecret", "ClusterPushSecret",
                "ClusterExternalSecret"}
FINALIZED = [(GROUP, "v1", "externalsecrets"), (GROUP, "v1alpha1", "pushsecrets"), (GROUP, "v1", "secretstores"),
             (GEN, "v1alpha1", "generatorstates"), ("", "v1", "secrets"), ("", "v1", "configmaps")]
# Status fields that exist in the format being replaced: when the recording lacks one, it must be absent or empty.
KNOWN_STATUS = {"conditions", "binding", "capabilities", "syncedPushSecrets", "provisionedNamespaces",
                "failedNamespaces", "externalSecretName", "pushSecretName", "refreshTime"}


class ApiError(Exception):
    def __init__(self, code, body, what):
        self.code, self.body = code, body
        message = body.get("message") if isinstance(body, dict) else str(body)[:300]
        super().__init__(f"{what}: HTTP {code}: {message}")


class CaseError(Exception):
    pass


class Api:
    """A small Kubernetes client: one connection per thread, bearer token or client certificate."""

    def __init__(self, kubeconfig):
        with open(kubeconfig) as f:
            config = yaml.load(f, Loader=Loader)
        context = next(c["context"] for c in config["contexts"] if c["name"] == config["current-context"])
        cluster = next(c["cluster"] for c in config["clusters"] if c["name"] == context["cluster"])
        user = next(u["user"] for u in config["users"] if u["name"] == context["user"])
        self.server = cluster["server"].rstrip("/")
        self.token = user.get("token")
        self.ca = base64.b64decode(cluster["certificate-authority-data"]).decode()
        self.context = ssl.create_default_context(cadata=self.ca)
        if user.get("client-certificate"):
            self.context.load_cert_chain(user["client-certificate"], user.get("client-key"))
        elif user.get("client-certificate-data"):
            with tempfile.NamedTemporaryFile("wb", suffix=".pem") as pem:
                pem.write(base64.b64decode(user["client-certificate-data"]) + b"\n")
                pem.write(base64.b64decode(user["client-key-data"]))
                pem.flush()
                self.context.load_cert_chain(pem.name)
        self.local = threading.local()
        self.kinds = {}
        self.lock = threading.Lock()

    def call(self, method, path, body=None, content="application/json", ok=None):
        url = urllib.parse.urlsplit(self.server)
        headers = {"Accept": "application/json"}
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = content
        for attempt in range(4):
            conn = getattr(self.local, "conn", None)
            try:
                if conn is None:
                    conn = self.local.conn = http.client.HTTPSConnection(url.hostname, url.port, timeout=30,
                                                                         context=self.context)
                conn.request(method, path, data, headers)
                reply = conn.getresponse()
                raw = reply.read()
                break
            except (http.client.HTTPException, OSError):
                self.local.conn = None
                if attempt == 3:
                    raise
                time.sleep(0.3)
        try:
            value = json.loads(raw) if raw else {}
        except ValueError:
            value = raw.decode("utf-8", "replace")
        if reply.status >= 400 and not (ok and reply.status in ok):
            raise ApiError(reply.status, value, f"{method} {path}")
        return reply.status, value

    def resource(self, api_version, kind):
        """(path prefix, plural, namespaced) of a kind, from discovery."""
        with self.lock:
            if (api_version, kind) not in self.kinds:
                base = f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
                for item in self.call("GET", base)[1].get("resources", []):
                    if "/" not in item["name"]:
                        self.kinds[(api_version, item["kind"])] = (base, item["name"], item["namespaced"])
            if (api_version, kind) not in self.kinds:
                raise CaseError(f"no resource for {api_version} {kind}")
            return self.kinds[(api_version, kind)]

    def path(self, ref, namespace, name=True):
        base, plural, namespaced = self.resource(ref["apiVersion"], ref["kind"])
        out = base
        if namespaced:
            out += f"/namespaces/{ref.get('namespace') or namespace}"
        out += f"/{plural}"
        if name:
            out += "/" + urllib.parse.quote(ref["name"])
        return out

    def get(self, ref, namespace):
        code, value = self.call("GET", self.path(ref, namespace), ok={404})
        return None if code == 404 else value


def flat(manifest):
    """A manifest's metadata name and namespace next to its kind, as an object reference."""
    meta = manifest.get("metadata", {})
    return {"apiVersion": manifest["apiVersion"], "kind": manifest["kind"], "name": meta.get("name"),
            "namespace": meta.get("namespace")}


# --- substitution and normalisation -----------------------------------------------------------------------------

def substitute(value, variables):
    if isinstance(value, str):
        for name in sorted(variables, key=len, reverse=True):
            if "$" + name in value:
                value = value.replace("$" + name, variables[name])
        return re.sub(r"\$OWNERHASH\(([^)]*)\)", lambda m: hashlib.sha3_224(
            f"{variables['NS']}/{m.group(1)}".encode()).hexdigest(), value)
    if isinstance(value, list):
        return [substitute(v, variables) for v in value]
    if isinstance(value, dict):
        return {substitute(k, variables): substitute(v, variables) for k, v in value.items()}
    return value


def unsubstitute(value, variables):
    """Puts the variable names back where their values occur, so that a recording is the same on every run."""
    if isinstance(value, str):
        for name in sorted(variables, key=lambda n: -len(variables[n])):
            if len(variables[name]) > 4:
                value = value.replace(variables[name], "$" + name)
        return value
    if isinstance(value, list):
        return [unsubstitute(v, variables) for v in value]
    if isinstance(value, dict):
        return {unsubstitute(k, variables): unsubstitute(v, variables) for k, v in value.items()}
    return value


def decode(text):
    raw = base64.b64decode(text or "")
    try:
        out = raw.decode("utf-8")
        if all(c in "\n\t\r" or ord(c) >= 32 for c in out):
            return out
    except UnicodeDecodeError:
        pass
    return "base64:" + text


def go_data_hash(data):
    text = "map[" + " ".join(f"{k}:[{' '.join(str(b) for b in base64.b64decode(data[k] or ''))}]"
                             for k in sorted(data, key=lambda k: k.encode())) + "]"
    return hashlib.sha3_224(text.encode()).hexdigest()


def shape(value, how):
    """What can be said about a random value: `any`, `chars`, `uuid`, `pem`, `words`, `digits`, `json`."""
    if value is None:
        return None
    if not isinstance(value, str):
        return f"<{type(value).__name__}>"
    if how == "uuid":
        return "<uuid>" if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", value) else f"<not a uuid>"
    if how == "digits":
        return f"<{len(value)} digits>" if value.isdigit() else "<not digits>"
    if how == "pem":
        lines = value.split("\n")
        return f"<pem {lines[0]} ... final newline {value.endswith(chr(10))}>"
    if how == "words":
        words = value.rstrip("\n").split(" ")
        return f"<{len(words)} words, first {words[0]}, rest after second {words[2:]}, final newline {value.endswith(chr(10))}>"
    if how == "json":
        return "<json {}>".format(",".join(sorted(json.loads(value))))
    if how == "b64":
        try:
            return f"<base64 of {len(base64.b64decode(value, validate=True))} bytes>"
        except ValueError:
            return "<not base64>"
    if how == "chars":
        letters = [c for c in value if c.isalpha()]
        digits = sum(c.isdigit() for c in value)
        return (f"<{len(value)} characters: {len(letters)} letters, {digits} digits, "
                f"{len(value) - len(letters) - digits} other, upper {any(c.isupper() for c in letters)}, "
                f"lower {any(c.islower() for c in letters)}>")
    return "<random>"


def at(value, dotted):
    """Follows a dotted path; `[type=Ready]` picks a list element, `[0]` an index, `\\.` is a dot inside a key."""
    for part in re.findall(r"(?:\\.|[^.\[\]\\])+|\[[^\]]*\]", dotted):
        if value is None:
            return None
        if part.startswith("["):
            inner = part[1:-1]
            if "=" in inner:
                k, v = inner.split("=", 1)
                value = next((i for i in value if str(i.get(k)) == v), None)
            else:
                value = value[int(inner)] if int(inner) < len(value) else None
        else:
            value = value.get(part.replace("\\.", ".")) if isinstance(value, dict) else None
    return value


def put(value, dotted, new):
    parts = [p.replace("\\.", ".") for p in re.findall(r"(?:\\.|[^.\\])+", dotted)]
    for part in parts[:-1]:
        value = value.get(part) if isinstance(value, dict) else None
    if isinstance(value, dict) and parts[-1] in value:
        value[parts[-1]] = new


STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


def drop_times(value):
    if isinstance(value, dict):
        return {k: drop_times(v) for k, v in value.items() if k not in ("lastTransitionTime", "creationTimestamp")}
    if isinstance(value, list):
        return [drop_times(v) for v in value]
    if isinstance(value, str) and STAMP.fullmatch(value):
        return "<time>"
    return value


def normalise(obj, query, variables):
    """The comparable part of one object."""
    if obj is None:
        return {"absent": True}
    kind, meta = obj.get("kind"), obj.get("metadata", {})
    out = {"kind": kind, "name": meta.get("name")}
    if meta.get("generateName"):
        out["name"] = meta["generateName"] + "*"
    if kind != "Namespace":
        if meta.get("namespace"):
            out["namespace"] = meta["namespace"]
    for key in ("labels", "annotations"):
        if meta.get(key):
            out[key] = dict(meta[key])
    if kind == "Namespace":
        out.get("labels", {}).pop("kubernetes.io/metadata.name", None)
    if meta.get("finalizers"):
        out["finalizers"] = sorted(meta["finalizers"])
    if meta.get("deletionTimestamp"):
        out["deleting"] = True
    if meta.get("ownerReferences"):
        out["ownerReferences"] = [{k: v for k, v in ref.items() if k != "uid"} for ref in meta["ownerReferences"]]
    if query.get("managers"):
        out["managers"] = sorted({m["manager"] for m in meta.get("managedFields", [])
                                  if m["manager"] != MANAGER and not m.get("subresource")})
    namespace = meta.get("namespace", "")
    hashes = {}
    owners = {ref.get("name", "") for ref in meta.get("ownerReferences") or []} | {meta.get("name") or ""}
    for name in variables["_names"] | owners:
        hashes[hashlib.sha3_224(f"{namespace}/{name}".encode()).hexdigest()] = f"<owner hash of {name}>"
        for k in ("ExternalSecret", "PushSecret"):
            for i in ("0", "1", "2", "3", "__pushsecret"):
                text = f"{k}-{namespace}-{name}-{i}"
                hashes[hashlib.sha3_224(text.encode()).hexdigest()] = f"<state key of {k} {name} {i}>"
    for key, value in out.get("labels", {}).items():
        out["labels"][key] = hashes.get(value, value)
    if kind == "Secret":
        raw = obj.get("data") or {}
        out["type"] = obj.get("type")
        if obj.get("immutable") is not None:
            out["immutable"] = obj["immutable"]
        out["data"] = {k: decode(v) for k, v in raw.items()}
        varies = query.get("random") or unsubstitute(out["data"], variables["_back"]) != out["data"]
        notes = out.get("annotations", {})
        if varies and notes.get("reconcile.external-secrets.io/data-hash") == go_data_hash(raw):
            notes["reconcile.external-secrets.io/data-hash"] = "<hash of the data>"
    elif kind in STATUS_KINDS:
        status = drop_times({k: v for k, v in (obj.get("status") or {}).items()
                             if k != "syncedResourceVersion" or query.get("syncedResourceVersion")})
        if status.get("refreshTime") is None:
            status.pop("refreshTime", None)
        if not (status.get("binding") or {"name": "x"}).get("name"):
            status.pop("binding")
        pushed = {store: {ref: {k: v for k, v in entry.items() if (k, v) != ("conversionStrategy", "None")}
                          for ref, entry in entries.items()}
                  for store, entries in (status.pop("syncedPushSecrets", None) or {}).items() if entries}
        if pushed:
            status["syncedPushSecrets"] = pushed
        for cond in status.get("conditions", []):
            if query.get("loose") == "message":
                cond.pop("message", None)
        for failed in status.get("failedNamespaces", []) if query.get("loose") == "message" else []:
            failed.pop("reason", None)
        if "conditions" in status:
            status["conditions"].sort(key=lambda c: c["type"])
        out["status"] = status
        if query.get("spec"):
            out["spec"] = obj.get("spec")
    else:
        for key, value in obj.items():
            if key not in ("apiVersion", "kind", "metadata"):
                out[key] = drop_times(value)
        if kind == "Namespace":
            out.pop("spec", None)
            out.pop("status", None)
    for path, how in (query.get("random") or {}).items():
        found = at(out, path)
        if found is not None:
            put(out, path, shape(found, how))
    if query.get("only"):
        out = {k: out.get(k) for k in ["kind", "name"] + query["only"] if k in out}
    return unsubstitute(out, variables["_back"])


# --- comparison -------------------------------------------------------------------------------------------------

def differences(expected, actual, path=""):
    """What is expected and not there, as a list of sentences. Extra status fields and conditions are allowed."""
    if isinstance(expected, dict) and isinstance(actual, dict):
        out = []
        exact = path.split(".")[-1] in ("data", "labels", "annotations", "syncedPushSecrets", "stringData")
        exact = exact or ".syncedPushSecrets." in path + "."
        for key, value in expected.items():
            if key not in actual:
                if path == ".status" and hollow(key, value, expected):
                    continue
                out.append(f"{path}.{key}: expected {show(value)}, is missing")
            else:
                out += differences(value, actual[key], f"{path}.{key}")
        for key, value in actual.items():
            if key in expected:
                continue
            top = path == ""
            if exact or (top and key in ("data", "labels", "annotations", "finalizers", "ownerReferences", "immutable",
                                         "deleting", "absent")):
                out.append(f"{path}.{key}: not expected, is {show(value)}")
            elif path == ".status" and key in KNOWN_STATUS and value not in (None, [], {}, ""):
                if key == "conditions" and not any(c.get("type") == "Ready" for c in value):
                    continue
                out.append(f"{path}.{key}: not expected, is {show(value)}")
        return out
    if isinstance(expected, list) and isinstance(actual, list):
        if path.endswith(".conditions"):
            out = []
            for cond in expected:
                found = next((c for c in actual if c.get("type") == cond.get("type")), None)
                name = f"{path}[{cond.get('type')}]"
                if found and cond.get("status") == "False" and str(found.get("message", "")).startswith(str(cond.get("message", ""))):
                    found = {**found, "message": cond.get("message", "")}  # more detail behind the known text is welcome
                out += differences(cond, found, name) if found else [f"{name}: is missing"]
            return out
        if len(expected) != len(actual):
            return [f"{path}: expected {show(expected)}, is {show(actual)}"]
        return [d for i, (e, a) in enumerate(zip(expected, actual)) for d in differences(e, a, f"{path}[{i}]")]
    if path == ".code" and {expected, actual} <= {403, 422}:
        return []  # refused by an admission webhook or by the schema: both are a refusal
    return [] if expected == actual else [f"{path or '.'}: expected {show(expected)}, is {show(actual)}"]


def hollow(key, value, status):
    """Status fields that may be left out as well: an empty binding, and the (null) refreshTime of a sync that failed."""
    synced = any(c.get("type") == "Ready" and c.get("status") == "True" for c in status.get("conditions") or [])
    return (key == "binding" and value == {"name": ""}) or (key == "refreshTime" and not synced)


def show(value):
    text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
    return repr(text) if isinstance(value, str) else text


def event_differences(want, have):
    """Recorded (type, reason) pairs must occur; more Normal events may occur, more Warnings may not."""
    width = 3 if STRICT_EVENTS else 2
    want, have = ({tuple(e[:width]) for e in side} for side in (want, have))
    return ([f"event {' '.join(e)}: is missing" for e in sorted(want - have)]
            + [f"event {' '.join(e)}: not expected" for e in sorted(have - want) if e[0] != "Normal"])


def request_differences(want, have):
    """Requests that change something, and logins, must be the recorded ones; plain reads may be fewer, never others."""
    reads = ("GET", "HEAD", "LIST")
    left, out = list(have), []
    for one in want:
        same = next((r for r in left if not differences(one, r)), None)
        if same is not None:
            left.remove(same)
        elif one.get("method") not in reads:
            out.append(f"request is missing: {show(one)}")
    return out + [f"request not expected: {show(r)}" for r in left]


def compare(expected, actual):
    """Differences between the recorded observations and these ones."""
    out = []
    if len(expected) != len(actual):
        return [f"recorded {len(expected)} observations, this run made {len(actual)}"]
    for one, other in zip(expected, actual):
        label = one.get("at", "end")
        want, have = one.get("is"), other.get("is")
        if isinstance(want, dict) and isinstance(have, dict) and have.get("absent") and not want.get("absent"):
            out.append(f"{label}: {want.get('kind')} {want.get('name')}: is absent")
            continue
        if isinstance(want, dict) and isinstance(have, dict) and want.get("absent") and not have.get("absent"):
            out.append(f"{label}: {have.get('kind')} {have.get('name')}: expected to be absent, is there")
            continue
        name = f"{want.get('kind', '')} {want.get('name', '')}" if isinstance(want, dict) else ""
        if isinstance(want, dict) and want.get("kind") == "Events" and isinstance(have, dict):
            out += [f"{label}: {name} {d}" for d in event_differences(want["set"], have.get("set", []))]
            continue
        if isinstance(want, dict) and want.get("kind") == "Requests" and isinstance(have, dict) and all(isinstance(r, dict) for r in want.get("set", [None])):
            out += [f"{label}: {name} {d}" for d in request_differences(want["set"], have.get("set", []))]
            continue
        out += [f"{label}: {name.strip()} {d.lstrip('.')}" for d in differences(want, have)]
    return out


# --- one case ---------------------------------------------------------------------------------------------------

class Case:
    def __init__(self, path, root):
        self.path = path
        self.name = os.path.relpath(path, root)[:-5]
        with open(path) as f:
            self.text = f.read()
        self.spec = yaml.load(self.text, Loader=Loader)
        for key in self.spec:
            if key not in ("title", "flags", "backend", "given", "steps", "observe", "expect", "bug", "loose",
                           "nowait", "random", "labels", "calls", "solo"):
                raise SystemExit(f"{self.name}: unknown key {key}")

    @property
    def kinds(self):
        """Kinds of all objects the case makes."""
        steps = [s["apply"] for s in self.spec.get("steps") or [] if isinstance(s.get("apply"), dict)]
        return {o.get("kind") for o in (self.spec.get("given") or []) + steps}

    @property
    def area(self):
        return self.name.split(os.sep)[0]

    @property
    def flags(self):
        return tuple(self.spec.get("flags") or [])

    @property
    def backends(self):
        backend = self.spec.get("backend")
        if backend is None:
            return []
        if isinstance(backend, str):
            return [backend]
        if isinstance(backend, dict):
            return [backend["name"]]
        return [b if isinstance(b, str) else b["name"] for b in backend]

    def write(self, results):
        head = re.split(r"(?m)^expect:", self.text)[0].rstrip("\n") + "\n"
        with open(self.path, "w") as f:
            f.write(head + yaml.dump({"expect": results}, Dumper=Dumper, sort_keys=True, width=160,
                                     allow_unicode=True))


class Dumper(yaml.SafeDumper):
    def ignore_aliases(self, data):
        return True


Dumper.add_representer(str, lambda d, s: d.represent_scalar(
    "tag:yaml.org,2002:str", s, style="|" if "\n" in s and not re.search(r"[ \t]\n|^\s", s) else None))


class Run:
    """One execution of one case."""

    def __init__(self, world, case, exact):
        self.world, self.api, self.case, self.exact = world, world.api, case, exact
        ident = "c" + uuid.uuid4().hex[:8]
        self.namespace = "ns-" + ident
        self.vars = {"NS": self.namespace, "ID": ident, **world.variables}
        for name in case.backends:
            self.vars.update(world.backends[name]["vars"])
        self.made = []
        self.back = {k: v for k, v in self.vars.items() if v}
        self.names = set()
        self.marks = {}
        self.seen = 0
        self.results = []

    # applying
    def apply(self, manifest, ok=False):
        manifest = copy.deepcopy(manifest)
        ref = flat(manifest)
        base, plural, namespaced = self.api.resource(ref["apiVersion"], ref["kind"])
        if not namespaced:
            if ref["kind"] == "Namespace" and not ref["name"].startswith(self.namespace):
                raise CaseError(f"namespace {ref['name']} is not the case's own")
            if (ref["apiVersion"], ref["kind"], ref["name"]) not in self.made:
                self.made.append((ref["apiVersion"], ref["kind"], ref["name"]))
                self.world.made.append((ref["apiVersion"], ref["kind"], ref["name"]))
        if ref["name"]:
            self.names.add(ref["name"])
        query = f"?fieldManager={MANAGER}"
        status = manifest.pop("status", None)
        for _ in range(8):
            live = self.api.get(ref, self.namespace)
            if live is None:
                code, value = self.api.call("POST", self.api.path(ref, self.namespace, False) + query, manifest,
                                            ok={409})
            else:
                body = copy.deepcopy(manifest)
                meta = live["metadata"]
                for key in ("labels", "annotations", "finalizers", "ownerReferences"):
                    if key in manifest.get("metadata", {}):
                        meta[key] = manifest["metadata"][key]
                body["metadata"] = meta
                if "status" in live:
                    body["status"] = live["status"]
                if ref["kind"] == "Secret" and "type" not in body:
                    body["type"] = live.get("type")
                code, value = self.api.call("PUT", self.api.path(ref, self.namespace) + query, body, ok={409})
            if code != 409:
                break
            time.sleep(0.1)
        else:
            raise CaseError(f"could not apply {ref}")
        if status is not None:
            self.api.call("PATCH", self.api.path(ref, self.namespace) + "/status" + query, {"status": status},
                          "application/merge-patch+json")
        return value

    def prepare_owner(self, manifest):
        """`ownedBy: {apiVersion, kind, name, controller}` in metadata becomes a real owner reference."""
        owner = manifest.get("metadata", {}).pop("ownedBy", None)
        if owner:
            live = self.api.get(owner, self.namespace)
            manifest["metadata"]["ownerReferences"] = [{
                "apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": owner["name"],
                "controller": owner.get("controller", True), "uid": live["metadata"]["uid"]}]
        return manifest

    def learn(self, found):
        """Names that a backend made while it was set up (a random version, say) can be used from here on."""
        for name, value in (found or {}).items():
            self.vars[name] = self.back[name] = str(value)

    def wait(self, ref, check, limit, what):
        end = time.time() + limit
        while True:
            value = self.api.get(ref, self.namespace)
            if check(value):
                return True
            if time.time() > end:
                return False
            self.world.alive()
            time.sleep(0.1)

    def step(self, step, number):
        step = substitute({k: v for k, v in step.items() if k != "observe"}, self.vars)
        if "apply" in step:
            items = step["apply"] if isinstance(step["apply"], list) else [step["apply"]]
            for item in items:
                self.apply(self.prepare_owner(item))
        if "patch" in step:
            p = step["patch"]
            types = {"merge": "application/merge-patch+json", "json": "application/json-patch+json"}
            sub = "/status" if p.get("subresource") == "status" else ""
            self.api.call("PATCH", self.api.path(p, self.namespace) + sub + f"?fieldManager={MANAGER}", p["patch"],
                          types[p.get("type", "merge")])
        if "delete" in step:
            d = step["delete"]
            self.api.call("DELETE", self.api.path(d, self.namespace), {"propagationPolicy": "Background"}, ok={404})
        if "mark" in step:
            for ref in step["mark"] if isinstance(step["mark"], list) else [step["mark"]]:
                live = self.api.get(ref, self.namespace)
                self.marks[(ref["kind"], ref["name"])] = live and live["metadata"]["resourceVersion"]
        if "operator" in step:
            if not self.case.spec.get("solo"):
                raise CaseError("only a solo case may stop or start the operator")
            if step["operator"] == "stop":
                self.world.stop()
            else:
                self.world.start(self.world.flags, self.world.env)
        if "backend" in step:
            for name, spec in step["backend"].items():
                self.learn(self.world.backends[name]["module"].apply(spec))
        if "until" in step:
            u = step["until"]
            if "exists" in u:
                check = lambda o: (o is not None) == u["exists"]
            elif "equals" in u:
                check = lambda o: o is not None and str(self.view(o, u["path"])) == str(u["equals"])
            elif "contains" in u:
                check = lambda o: o is not None and u["contains"] in str(self.view(o, u["path"]))
            elif "differs" in u:
                check = lambda o: o is not None and str(self.view(o, u["path"])) != str(u["differs"])
            else:
                check = lambda o: o is not None and self.view(o, u["path"]) is not None
            if not self.wait(u, check, u.get("timeout", 60), u):
                now = self.api.get(u, self.namespace)
                raise CaseError(f"step {number}: {u['kind']} {u['name']} never reached {u.get('path', 'exists')} "
                                f"= {u.get('equals', u.get('contains', u.get('exists', '(set)')))}; is "
                                f"{self.view(now, u.get('path', 'metadata.name')) if now else 'absent'}")
        if "settle" in step:
            end = time.time() + float(step["settle"])
            while time.time() < end:
                self.world.alive()
                time.sleep(min(0.5, max(0.0, end - time.time())))

    @staticmethod
    def view(obj, path):
        if obj.get("kind") == "Secret" and path.startswith("data."):
            found = at(obj, path)
            return decode(found) if found is not None else None
        return at(obj, path)

    # observing
    def look(self, query):
        variables = {"_back": self.back, "_names": self.names}
        query = dict(query)
        if self.case.spec.get("loose"):
            query.setdefault("loose", self.case.spec["loose"])
        if self.case.spec.get("random") and query.get("kind") == "Secret":
            query.setdefault("random", self.case.spec["random"])
        if "attempt" in query:
            manifest = query["attempt"]
            path = self.api.path(flat(manifest), self.namespace, False)
            code, _ = self.api.call("POST", path + "?dryRun=All", manifest, ok=set(range(400, 600)))
            return {"kind": manifest["kind"], "attempt": query.get("as", manifest["kind"]), "code": code}
        if "events" in query:
            ref = query["events"]
            namespace = ref.get("namespace") or (self.namespace if self.api.resource(ref["apiVersion"], ref["kind"])[2]
                                                 else "default")
            selector = urllib.parse.quote(f"involvedObject.kind={ref['kind']},involvedObject.name={ref['name']}")
            _, value = self.api.call("GET", f"/api/v1/namespaces/{namespace}/events?fieldSelector={selector}")
            found = {(e["type"], e["reason"]) + ((e.get("message") or "",) if query.get("messages") else ())
                     for e in value["items"]}
            if ref.get("reasons"):
                found = {f for f in found if f[1] in ref["reasons"]}
            return {"kind": "Events", "name": unsubstitute(ref["name"], self.back),
                    "set": unsubstitute([list(f) for f in sorted(found)], self.back)}
        if "backend" in query:
            (name, spec), = query["backend"].items()
            return unsubstitute(self.world.backends[name]["module"].observe(spec), self.back)
        if "changed" in query:
            ref = query["changed"]
            live = self.api.get(ref, self.namespace)
            return {"kind": ref["kind"], "name": unsubstitute(ref["name"], self.back), "changed":
                    self.marks.get((ref["kind"], ref["name"])) != (live and live["metadata"]["resourceVersion"])}
        if "metrics" in query:
            return unsubstitute(self.world.metrics(query["metrics"]), self.back)
        if "list" in query:
            ref = query["list"]
            path = self.api.path(ref, self.namespace, False)
            if ref.get("labelSelector"):
                path += "?labelSelector=" + urllib.parse.quote(ref["labelSelector"])
            _, value = self.api.call("GET", path)
            items = []
            for item in value["items"]:
                item.setdefault("kind", ref["kind"])
                items.append(normalise(item, {**ref, **query}, variables))
            if query.get("names"):
                return {"kind": "List", "name": ref["kind"], "items": sorted(i["name"] for i in items)}
            return {"kind": "List", "name": ref["kind"], "items": sorted(items, key=lambda i: str(i.get("name")))}
        return normalise(self.api.get(query, self.namespace), query, variables)

    def ready(self, query):
        """Whether the operator has had its say about an observed object at all."""
        if "kind" in query and query["kind"] in STATUS_KINDS and not query.get("quiet"):
            value = self.api.get(query, self.namespace)
            return value is None or bool((value.get("status") or {}).get("conditions"))
        return True

    def observe(self, queries, label):
        queries = [substitute(q, self.vars) for q in queries]
        if not self.case.spec.get("nowait"):
            end = time.time() + CONDITION_LIMIT
            while time.time() < end and not all(self.ready(q) for q in queries):
                self.world.alive()
                time.sleep(0.15)
        expected = None
        if not self.exact:
            recorded = self.case.spec.get("expect") or []
            expected = recorded[self.seen:self.seen + len(queries)]
        limit = BUG_LIMIT if self.case.spec.get("bug") else MATCH_LIMIT
        start = last_change = time.time()
        view = None
        while True:
            now = [{"at": label, "is": self.look(q)} for q in queries]
            if expected is not None:
                same = not compare(expected, now)
                if not same:
                    last_change = time.time()
                view = now
                if (same and time.time() - last_change >= HOLD) or time.time() - start > limit:
                    break
            else:
                if now != view:
                    view, last_change = now, time.time()
                if time.time() - last_change >= SETTLE:
                    break
                if time.time() - start > RECORD_LIMIT:
                    raise CaseError(f"{label}: still changing after {RECORD_LIMIT} s")
            self.world.alive()
            time.sleep(0.2)
        self.seen += len(queries)
        self.results += view
        return expected is None or not compare(expected, view)

    def go(self):
        spec = self.case.spec
        self.world.made.append(("v1", "Namespace", self.namespace))
        self.api.call("POST", "/api/v1/namespaces", {"metadata": {"name": self.namespace,
                                                                  "labels": substitute(spec.get("labels") or {},
                                                                                       self.vars)}})
        time.sleep(0.05)
        for entry in [spec.get("backend")] if isinstance(spec.get("backend"), dict) else spec.get("backend") or []:
            if isinstance(entry, dict) and "apply" in entry:
                self.learn(self.world.backends[entry["name"]]["module"].apply(substitute(entry["apply"], self.vars)))
        for item in spec.get("given") or []:
            item = self.prepare_owner(substitute(item, self.vars))
            self.apply(item)
            if item["kind"] in ("SecretStore", "ClusterSecretStore") and not spec.get("nowait"):
                self.wait(flat(item), lambda o: o and (o.get("status") or {}).get("conditions"), CONDITION_LIMIT, "")
        for number, step in enumerate(spec.get("steps") or []):
            self.step(step, number)
            if "observe" in step and not self.observe(step["observe"], step.get("as", f"step {number}")):
                return self.results
        if spec.get("observe"):
            self.observe(spec["observe"], "end")
        return self.results

    def clean(self):
        remove(self.api, self.made)
        for namespace in [self.namespace] + [n for _, k, n in self.made if k == "Namespace"]:
            wipe(self.api, namespace)


def remove(api, made):
    """Deletes cluster-scoped objects, last made first; namespaces are left to wipe()."""
    for api_version, kind, name in reversed(made):
        if kind == "Namespace":
            continue
        ref = {"apiVersion": api_version, "kind": kind, "name": name}
        try:
            api.call("DELETE", api.path(ref, ""), ok={404})
            api.call("PATCH", api.path(ref, ""), {"metadata": {"finalizers": None}},
                     "application/merge-patch+json", ok={404, 409, 422})
        except (ApiError, CaseError):
            pass


def wipe(api, namespace):
    """Deletes a namespace, and clears finalizers that would keep it."""
    def quiet(method, path, body=None, content="application/json"):
        try:
            return api.call(method, path, body, content, ok={404, 405, 409, 422})[1]
        except (ApiError, OSError, http.client.HTTPException):
            return {}
    quiet("DELETE", f"/api/v1/namespaces/{namespace}", {"propagationPolicy": "Background"})
    for group, version, plural in FINALIZED:
        base = (f"/apis/{group}/{version}" if group else f"/api/{version}") + f"/namespaces/{namespace}/{plural}"
        for item in (quiet("GET", base) or {}).get("items") or []:
            if item["metadata"].get("finalizers"):
                quiet("DELETE", f"{base}/{item['metadata']['name']}")
                quiet("PATCH", f"{base}/{item['metadata']['name']}", {"metadata": {"finalizers": None}},
                      "application/merge-patch+json")
    live = quiet("GET", f"/api/v1/namespaces/{namespace}")
    if isinstance(live, dict) and live.get("metadata", {}).get("finalizers"):
        quiet("PATCH", f"/api/v1/namespaces/{namespace}", {"metadata": {"finalizers": None}},
              "application/merge-patch+json")


# --- the operator and its surroundings --------------------------------------------------------------------------

class OperatorDied(Exception):
    pass


class World:
    def __init__(self, args):
        self.args = args
        self.api = Api(args.kubeconfig_admin)
        self.process = None
        self.flags = ()
        self.env = {}
        self.deaths = 0
        self.made = []  # every cluster-scoped object and namespace that a case has made
        self.backends = {}
        self.lock = threading.Lock()
        self.log = open(args.log, "ab") if args.log else tempfile.TemporaryFile()
        ca = self.api.ca
        self.variables = {"APISERVER": self.api.server, "CA_PEM": ca, "CA_B64": base64.b64encode(ca.encode()).decode(),
                          "ADMIN_TOKEN": self.api.token or ""}

    def rights(self, file):
        """Grants what an installation with this feature grants beside the usual role."""
        with open(os.path.join(HERE, "rights", file)) as f:
            for doc in yaml.load_all(f.read(), Loader=Loader):
                self.api.call("POST", self.api.path(flat(doc), "", False), doc, ok={409})

    def crds(self, where):
        files = [os.path.join(where, f) for f in sorted(os.listdir(where))] if os.path.isdir(where) else [where]
        names = []
        for file in files:
            if not file.endswith((".yaml", ".yml", ".json")):
                continue
            with open(file) as f:
                text = f.read()
            for doc in yaml.load_all(text, Loader=Loader):
                if not doc or doc.get("kind") != "CustomResourceDefinition":
                    continue
                name = doc["metadata"]["name"]
                digest = hashlib.sha256(json.dumps(doc, sort_keys=True, default=str).encode()).hexdigest()[:32]
                path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{name}"
                code, live = self.api.call("GET", path, ok={404})
                names.append(name)
                if code != 404 and live["metadata"].get("annotations", {}).get("case-runner/digest") == digest:
                    continue
                doc["metadata"].setdefault("annotations", {})["case-runner/digest"] = digest
                doc.pop("status", None)
                if code == 404:
                    self.api.call("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", doc)
                else:
                    doc["metadata"]["resourceVersion"] = live["metadata"]["resourceVersion"]
                    doc["status"] = live.get("status")
                    self.api.call("PUT", path, doc)
        end = time.time() + START_LIMIT
        while names and time.time() < end:
            _, value = self.api.call("GET", f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{names[0]}")
            if any(c["type"] == "Established" and c["status"] == "True"
                   for c in value.get("status", {}).get("conditions") or []):
                names.pop(0)
            else:
                time.sleep(0.2)
        if names:
            raise SystemExit(f"custom resource definitions not established: {names}")

    def backend(self, name):
        if name in self.backends:
            return
        path = os.path.join(HERE, "backends", name + ".py")
        spec = importlib.util.spec_from_file_location("backend_" + name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        wanted = module.start.__code__.co_varnames[:module.start.__code__.co_argcount]
        context = {"bin": self.args.bin, "args": self.args.arg, "api": self.api, "log": self.log,
                   "kubeconfig": self.args.kubeconfig_operator}
        started = (module.start(context) if wanted[:1] == ("context",) else module.start()) or {}
        self.backends[name] = {"module": module, "vars": {k: str(v) for k, v in (started.get("vars") or {}).items()},
                               "env": started.get("env") or {}}

    def stop_backends(self):
        for entry in self.backends.values():
            if hasattr(entry["module"], "stop"):
                try:
                    entry["module"].stop()
                except Exception as err:  # a backend that will not stop must not keep the rest from stopping
                    print(f"backend: {err}", file=sys.stderr)
        self.backends = {}

    def start(self, flags, env, binary=None):
        self.flags, self.env = flags, env
        metrics, live = free_port(), free_port()
        self.metrics_port = metrics
        base = [f"--metrics-addr=127.0.0.1:{metrics}", f"--live-addr=127.0.0.1:{live}"]
        self.process = subprocess.Popen([binary or self.args.bin, *([] if binary else self.args.arg), *base, *flags], stdout=self.log,
                                        stderr=self.log, start_new_session=True,
                                        env={**os.environ, **env, "KUBECONFIG": self.args.kubeconfig_operator})
        end = time.time() + START_LIMIT
        while time.time() < end:
            if self.process.poll() is not None:
                raise SystemExit(f"operator exited with {self.process.returncode} at start; see --log")
            try:
                conn = http.client.HTTPConnection("127.0.0.1", live, timeout=2)
                conn.request("GET", "/healthz")
                if conn.getresponse().status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.2)
        self.stop()
        raise SystemExit(f"operator was not healthy within {START_LIMIT} s")

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(5)
        self.process = None

    def metrics(self, spec):
        """The series of a metric whose labels contain the given ones, each as labels and value."""
        conn = http.client.HTTPConnection("127.0.0.1", self.metrics_port, timeout=5)
        conn.request("GET", "/metrics")
        text = conn.getresponse().read().decode()
        found = []
        for line in text.splitlines():
            match = re.match(r"^([a-zA-Z_:]+)(?:\{(.*)\})? (\S+)$", line)
            if not match or match.group(1) != spec["name"]:
                continue
            labels = dict(re.findall(r'([a-zA-Z_]+)="((?:[^"\\]|\\.)*)"', match.group(2) or ""))
            if all(labels.get(k) == v for k, v in (spec.get("labels") or {}).items()):
                value = float(match.group(3))
                found.append({"labels": labels, "value": value if spec.get("value", "exact") == "exact"
                              else ("> 0" if value > 0 else "0")})
        return {"kind": "Metrics", "name": spec["name"],
                "series": sorted(found, key=lambda s: sorted(s["labels"].items()))}

    def alive(self):
        process = self.process
        if process is not None and process.poll() is not None:
            raise OperatorDied(f"the operator exited with status {process.returncode}")

    def revive(self):
        with self.lock:
            if self.process is not None and self.process.poll() is None:
                return
            self.deaths += 1
            if self.deaths > 15:
                raise SystemExit("the operator keeps dying")
            self.start(self.flags, self.env)

    def drain(self, namespaces):
        """Waits for namespaces to go; finalizers that nobody will remove any more are cleared."""
        end = time.time() + 60
        left = list(namespaces)
        rounds = 0
        while left and time.time() < end:
            left = [n for n in left if self.api.call("GET", f"/api/v1/namespaces/{n}", ok={404})[0] != 404]
            rounds += 1
            if rounds % 4 == 0:
                for namespace in left:
                    wipe(self.api, namespace)
            if left:
                time.sleep(0.5)
        return left


def run_case(world, case, args):
    started = time.time()
    exact = args.record or args.strict
    for attempt in range(4):
        run = None
        try:
            world.revive() if world.process is None or world.process.poll() is not None else None
            run = Run(world, case, exact)
            results = run.go()
            error = None
            if exact:  # informational: how many requests this case cost each backend that counts them
                for name in case.backends:
                    if hasattr(world.backends[name]["module"], "calls"):
                        print(f"calls {case.name} {json.dumps(world.backends[name]['module'].calls(run.vars['ID']))}", flush=True)
        except OperatorDied as err:
            results, error = None, str(err)
            try:
                world.revive()
            except SystemExit as fatal:
                return case, None, str(fatal), time.time() - started
            if (args.record or args.retry_crash) and attempt < 3:
                run.clean()
                continue
        except (ApiError, CaseError, OSError, KeyError, ValueError, http.client.HTTPException) as err:
            results, error = None, f"{type(err).__name__}: {err}"
        break
    if run is not None and not args.keep:
        try:
            run.clean()
        except (ApiError, OSError, http.client.HTTPException) as err:
            print(f"clean-up of {case.name}: {err}", file=sys.stderr)
    return case, results, error, time.time() - started


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--bin", required=True, help="operator binary")
    p.add_argument("--from-bin", help="operator that solo cases start with, for take-over tests (default: --bin)")
    p.add_argument("--arg", action="append", default=[], help="argument put before the flags (a subcommand)")
    p.add_argument("--kubeconfig-admin", required=True)
    p.add_argument("--kubeconfig-operator", required=True)
    p.add_argument("--crds", help="file or folder of CustomResourceDefinitions to put in place first")
    p.add_argument("--cases", nargs="+", default=[os.path.join(HERE, "cases")])
    p.add_argument("--record", action="store_true", help="write what this operator does as the expectation")
    p.add_argument("--strict", action="store_true", help="wait as a recording does and compare for exact equality")
    p.add_argument("--bugs", action="store_true", help="count cases marked `bug` like the others")
    p.add_argument("--retry-crash", action="store_true", help="repeat a case during which the operator died")
    p.add_argument("--event-messages", action="store_true", help="compare the texts of events too")
    p.add_argument("--new", action="store_true", help="only cases without a recording")
    p.add_argument("--area", action="append", default=[], help="only cases of this folder")
    p.add_argument("--leave-out", action="append", default=[], metavar="KIND",
                   help="leave out cases with an object of this kind, and say how many")
    p.add_argument("--filter", action="append", default=[], help="only cases whose name contains this")
    p.add_argument("--jobs", type=int, default=4)
    p.add_argument("--log", help="file for the operator's output")
    p.add_argument("--keep", action="store_true", help="leave the namespaces in place")
    p.add_argument("--times", action="store_true", help="print how long each case took")
    args = p.parse_args()
    global STRICT_EVENTS
    STRICT_EVENTS = args.event_messages

    cases = []
    for folder in args.cases:
        for root, _, files in sorted(os.walk(folder)):
            for file in sorted(files):
                if file.endswith(".yaml"):
                    cases.append(Case(os.path.join(root, file), folder))
    unknown = sorted(set(args.area) - {c.area for c in cases})
    if unknown:
        raise SystemExit(f"no such area: {' '.join(unknown)}")
    cases = [c for c in cases if not args.area or c.area in args.area]
    for kind in args.leave_out:
        out = [c for c in cases if kind in c.kinds]
        cases = [c for c in cases if kind not in c.kinds]
        if out:
            print(f"left out: {len(out)} cases with a {kind}", flush=True)
    cases = [c for c in cases if not args.filter or any(f in "/" + c.name for f in args.filter)]
    if args.new:
        cases = [c for c in cases if "expect" not in c.spec]
    if not (args.bugs or args.record or args.strict):
        cases = [c for c in cases if not (c.spec.get("bug") and os.path.exists(c.path[:-5] + "-fixed.yaml"))]
    passed = failed = done = 0
    world = World(args)
    lock = open(os.path.join(tempfile.gettempdir(), "case-runner-" + re.sub(r"\W+", "-", world.api.server)), "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise SystemExit("another run is using this API server: two operators would disturb each other")
    old = signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    leftovers = []
    try:
        if args.crds:
            world.crds(args.crds)
        groups = {}
        for case in cases:
            groups.setdefault((case.flags, case.name if case.spec.get("solo") else ""), []).append(case)
        for (flags, solo), members in groups.items():
            env, runnable = {}, []
            broken = {}
            for case in members:
                for name in case.backends:
                    if name not in world.backends and name not in broken:
                        try:
                            world.backend(name)
                        except Exception as err:
                            broken[name] = err
                bad = [n for n in case.backends if n in broken]
                if bad:
                    failed += 1
                    print(f"FAIL {case.name}: backend {bad[0]} did not start: {broken[bad[0]]}")
                else:
                    runnable.append(case)
                    for name in case.backends:
                        env.update(world.backends[name]["env"])
            if not runnable:
                continue
            if "--unsafe-allow-generic-targets" in flags:
                world.rights("generic-targets.yaml")
            world.start(flags, env, args.from_bin if solo else None)
            pool = concurrent.futures.ThreadPoolExecutor(args.jobs)
            try:
                jobs = [pool.submit(run_case, world, case, args) for case in runnable]
                for job in concurrent.futures.as_completed(jobs):
                    case, results, error, seconds = job.result()
                    done += 1
                    if sys.stderr.isatty():
                        print(f"\r{done} of {len(cases)} cases", end="\r", file=sys.stderr, flush=True)
                    if args.times:
                        print(f"     {case.name} {seconds:.1f} s")
                    if error and case.spec.get("bug") and not args.bugs and not args.record and "exited" not in error:
                        print(f"note {case.name}: differs where the recording is an upstream bug "
                              f"({case.spec['bug']})\n     {error}", flush=True)
                        continue
                    if error:
                        failed += 1
                        print(f"FAIL {case.name}: {case.spec.get('title')}\n     {error}", flush=True)
                        continue
                    if args.record:
                        case.write(results)
                        passed += 1
                        continue
                    recorded = case.spec.get("expect") or []
                    if args.strict:
                        a, b = (yaml.dump(x, Dumper=Dumper, sort_keys=True, width=160).splitlines()
                                for x in (recorded, results))
                        diff = [l for l in difflib.unified_diff(a, b, "recorded", "now", lineterm="", n=1)][2:]
                    else:
                        diff = compare(recorded[:len(results)], results)
                        if not diff and len(recorded) != len(results):
                            diff = [f"recorded {len(recorded)} observations, this run made {len(results)}"]
                    if not diff and case.spec.get("bug") and not args.bugs:
                        print(f"note {case.name}: repeats an upstream bug ({case.spec['bug']})", flush=True)
                    elif not diff:
                        passed += 1
                    elif case.spec.get("bug") and not args.bugs:
                        print(f"note {case.name}: differs where the recording is an upstream bug "
                              f"({case.spec['bug']})\n     " + "\n     ".join(diff[:12]), flush=True)
                    else:
                        failed += 1
                        print(f"FAIL {case.name}: {case.spec.get('title')}\n     " + "\n     ".join(diff[:40]),
                              flush=True)
            finally:
                pool.shutdown(wait=True, cancel_futures=True)
                world.stop()
    finally:
        world.stop()
        world.stop_backends()
        if not args.keep:
            remove(world.api, world.made)
            leftovers = world.drain([name for _, kind, name in world.made if kind == "Namespace"])
        signal.signal(signal.SIGTERM, old)
    if world.deaths:
        print(f"the operator died and was restarted {world.deaths} times")
    if leftovers:
        print(f"namespaces not gone yet: {' '.join(leftovers)}", file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
