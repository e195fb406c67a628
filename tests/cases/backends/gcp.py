"""Google Cloud backend for the cases: a Secret Manager server behind a counting front, and small identity endpoints.

Runs only in a redirected network (see redirect.py; `cargo xtask cases` makes one): every NAME.googleapis.com leads to the front on 127.0.0.20:443, and
metadata.google.internal is 169.254.169.254. A case's project is $ID: projects need not be created.

Any server that speaks the public API google.cloud.secretmanager.v1 without TLS may stand behind: GCP_SM_SERVER is a command
that takes --grpc-port and --http-port; with GCP_SM_REST=1 it is spoken to in REST (`xtask serve google`), else in gRPC
(blackwell-systems: gcp-secret-manager-emulator 1.1, cmd/server-dual: gRPC). GCP_SM_ADDR (host:port, gRPC) or GCP_SM_URL (base URL, REST) names
one that already runs inside the namespace. Clients that offer only h2 reach it as gRPC; those that offer http/1.1 reach it
as REST, transcoded here by the published mapping. The front checks bearer tokens and
puts right where that server is known to differ from Google's documentation:
  - `latest` is the newest version, whatever its state; a disabled or destroyed version is FAILED_PRECONDITION with the
    words "is in DISABLED state" (the server takes the newest enabled one and words it otherwise);
  - ListSecrets obeys `labels.k=v` and `name:text` in `filter` (the server ignores it) and lists all in one page by default.
Not shown by that server: emptying labels or annotations, etags, topics, expiry, CMEK and replication rules, project numbers
in names, refusal of an empty payload.

Identity (own code, after Google's documentation): oauth2 (JWT bearer, signature checked), securetoken and sts (ServiceAccount
tokens, signature and audience checked against the API server's keys), iamcredentials (gRPC and REST), metadata server. Accounts
whose name begins with `denied` are refused every call with PERMISSION_DENIED.
Needs PyPI grpcio, google-cloud-secret-manager, and `openssl`.

  start(context) -> {"vars", "env"}: GCP_KEY, GCP_KEY_DENIED, GCP_KEY_WRONG (a key Google does not know), each as JSON text
       and with _B64 behind the name as base64; GCP_META_PROJECT, GCP_META_LOCATION, GCP_META_CLUSTER (metadata server)
  apply(spec)   list of {call: Method, with: {JSON form of the request}, fails: CODE?} or
                {secret: PROJECT[/LOCATION]/name, versions: [text or {b64: text}]?, labels: {}?, annotations: {}?},
                {disable|enable|destroy: PROJECT[/LOCATION]/name/number}, {fault: Method, id: text, code: UNAVAILABLE, times: n}
  observe(spec) {call, with, only?}: the answer as JSON text without times, payloads decoded; {seen: Method, id: text, only?}: the
                different requests; {tokens: id}: how the tokens used for that id were asked for
  calls(id)     {"Method": n} of requests that hold the id, {"token kind": n} for the tokens used with them
  stop()
"""
import base64, collections, http.client, http.server, importlib.util, json, os, re, secrets, shlex, shutil, socket
import subprocess, sys, tempfile, threading, time, urllib.parse
from concurrent import futures

from ports import free_port

FRONT = "127.0.0.20"
ACCOUNT = "reader@case-project.iam.gserviceaccount.com"
DENIED = "denied@case-project.iam.gserviceaccount.com"
META = {"project": "meta-project", "location": "europe-west4", "cluster": "meta-cluster"}
SCOPE = "https://www.googleapis.com/auth/cloud-platform"
SERVICE = "/google.cloud.secretmanager.v1.SecretManagerService/"
_seen, _faults, _tokens, _lock = [], [], {}, threading.Lock()
_run = {}


def _shared():
    if "redirect" not in sys.modules:
        spec = importlib.util.spec_from_file_location("redirect", os.path.join(os.path.dirname(os.path.abspath(__file__)), "redirect.py"))
        sys.modules["redirect"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["redirect"])
    return sys.modules["redirect"]


R = _shared()


# --- the API: methods, messages, REST mapping ---------------------------------------------------------------------

REST = [  # method, path below /v1, RPC, the field that is the body ("*": all), the field the path fills
    ("GET", r"(projects/[^/]+(?:/locations/[^/]+)?)/secrets", "ListSecrets", None, "parent"),
    ("POST", r"(projects/[^/]+(?:/locations/[^/]+)?)/secrets", "CreateSecret", "secret", "parent"),
    ("POST", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+):addVersion", "AddSecretVersion", "*", "parent"),
    ("GET", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+)", "GetSecret", None, "name"),
    ("PATCH", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+)", "UpdateSecret", "secret", "secret.name"),
    ("DELETE", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+)", "DeleteSecret", None, "name"),
    ("GET", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+)/versions", "ListSecretVersions", None, "parent"),
    ("GET", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+/versions/[^/:]+)", "GetSecretVersion", None, "name"),
    ("GET", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+/versions/[^/:]+):access", "AccessSecretVersion", None, "name"),
    ("POST", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+/versions/[^/:]+):disable", "DisableSecretVersion", "*", "name"),
    ("POST", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+/versions/[^/:]+):enable", "EnableSecretVersion", "*", "name"),
    ("POST", r"(projects/[^/]+(?:/locations/[^/]+)?/secrets/[^/:]+/versions/[^/:]+):destroy", "DestroySecretVersion", "*", "name"),
]
RESULT = {"ListSecrets": "ListSecretsResponse", "CreateSecret": "Secret", "GetSecret": "Secret", "UpdateSecret": "Secret",
          "DeleteSecret": None, "AddSecretVersion": "SecretVersion", "GetSecretVersion": "SecretVersion",
          "AccessSecretVersion": "AccessSecretVersionResponse", "ListSecretVersions": "ListSecretVersionsResponse",
          "DisableSecretVersion": "SecretVersion", "EnableSecretVersion": "SecretVersion", "DestroySecretVersion": "SecretVersion"}
PERMISSION = {"ListSecrets": "secretmanager.secrets.list", "CreateSecret": "secretmanager.secrets.create",
              "GetSecret": "secretmanager.secrets.get", "UpdateSecret": "secretmanager.secrets.update",
              "DeleteSecret": "secretmanager.secrets.delete", "AddSecretVersion": "secretmanager.versions.add",
              "AccessSecretVersion": "secretmanager.versions.access", "ListSecretVersions": "secretmanager.versions.list"}
HTTP = {"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "OUT_OF_RANGE": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403,
        "NOT_FOUND": 404, "ALREADY_EXISTS": 409, "ABORTED": 409, "RESOURCE_EXHAUSTED": 429, "CANCELLED": 499, "INTERNAL": 500,
        "UNKNOWN": 500, "UNIMPLEMENTED": 501, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504}


class Refusal(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code, self.text = code, text


def _message(name):
    from google.cloud import secretmanager_v1 as sm
    from google.protobuf import empty_pb2
    return empty_pb2.Empty if name is None else getattr(sm, name).pb()


def _rest(rpc, request):
    """One call to a server that speaks REST."""
    from google.protobuf import json_format
    method, _, _, whole, field = next(r for r in REST if r[2] == rpc)
    data = json_format.MessageToDict(request)
    where = data["secret"]["name"] if field == "secret.name" else data.pop(field)
    tail = {"ListSecrets": "/secrets", "CreateSecret": "/secrets", "ListSecretVersions": "/versions", "AddSecretVersion": ":addVersion",
            "AccessSecretVersion": ":access", "DisableSecretVersion": ":disable", "EnableSecretVersion": ":enable",
            "DestroySecretVersion": ":destroy"}.get(rpc, "")
    body = data if whole == "*" else data.pop(whole) if whole else None
    query = urllib.parse.urlencode({} if whole == "*" else data)
    url = urllib.parse.urlsplit(_run["url"])
    kind = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    c = kind(url.netloc, timeout=30)
    c.request(method, f"{url.path.rstrip('/')}/v1/{where}{tail}" + ("?" + query if query else ""), json.dumps(body).encode() if body is not None else None,
              {"Content-Type": "application/json", "Authorization": "Bearer " + os.environ.get("GCP_SM_TOKEN", "any")})
    r = c.getresponse()
    got = json.loads(r.read() or b"{}")
    if r.status >= 400:
        raise Refusal(got["error"]["status"], got["error"]["message"])
    return json_format.ParseDict(got, _message(RESULT[rpc])(), ignore_unknown_fields=True)


def _backend(rpc, request):
    if _run.get("url"):
        return _rest(rpc, request)
    import grpc
    call = _run["channel"].unary_unary(SERVICE + rpc, request_serializer=lambda m: m.SerializeToString(),
                                       response_deserializer=_message(RESULT[rpc]).FromString)
    try:
        return call(request, timeout=30)
    except grpc.RpcError as err:
        raise Refusal(err.code().name, err.details())


def _matches(secret, text):
    for term in text.split():
        if m := re.fullmatch(r"labels\.([^=:]+)[=:](.*)", term):
            if secret.labels.get(m[1]) != m[2]:
                return False
        elif m := re.fullmatch(r"name:(.*)", term):
            if m[1].lower() not in secret.name.lower():
                return False
        else:
            raise Refusal("INVALID_ARGUMENT", f"Invalid filter term {term}")
    return True


def _perform(rpc, request):
    """One call, with the corrections named above."""
    if rpc not in RESULT:
        raise Refusal("UNIMPLEMENTED", rpc)
    if rpc == "ListSecrets":
        text, request.filter = request.filter, ""
        if not request.page_size:
            request.page_size = 25000
        found = _backend(rpc, request)
        kept = sorted((s for s in found.secrets if _matches(s, text)), key=lambda s: s.name)
        del found.secrets[:]
        found.secrets.extend(kept)
        return found
    if rpc == "ListSecretVersions" and not request.page_size:
        request.page_size = 25000
    if rpc in ("AccessSecretVersion", "GetSecretVersion"):
        parent, version = request.name.rsplit("/versions/", 1)
        if version == "latest":
            every = _backend("ListSecretVersions", _message("ListSecretVersionsRequest")(parent=parent, page_size=25000)).versions
            if not every:
                raise Refusal("NOT_FOUND", f"Secret [{parent}] not found or has no versions.")
            request.name = max(every, key=lambda v: int(v.name.rsplit("/", 1)[1])).name
        if rpc == "AccessSecretVersion":
            info = _backend("GetSecretVersion", _message("GetSecretVersionRequest")(name=request.name))
            state = {2: "DISABLED", 3: "DESTROYED"}.get(int(info.state))
            if state:
                raise Refusal("FAILED_PRECONDITION", f"Secret Version [{request.name}] is in {state} state.")
    return _backend(rpc, request)


def _text(rpc, request):
    from google.protobuf import json_format
    return json.dumps(json_format.MessageToDict(request), sort_keys=True, ensure_ascii=False)


def _holder(bearer):
    """Who a bearer token speaks for: one issued here, or a service account's own JWT for this API."""
    with _lock:
        if bearer in _tokens or bearer.count(".") != 2:
            return _tokens.get(bearer)
    got = R.claims(bearer, list(_run["accounts"].values()))
    if not got or got.get("exp", 0) < time.time() or got.get("iss") != got.get("sub") or \
            not ("secretmanager" in str(got.get("aud")) or SCOPE in str(got.get("scope"))):
        return None
    with _lock:
        _tokens[bearer] = {"who": got["iss"], "kind": "own JWT", "detail": {"by": "key"}}
        return _tokens[bearer]


def _guarded(rpc, request, bearer, kind):
    text = _text(rpc, request)
    with _lock:
        _seen.append({"rpc": rpc, "text": text, "bearer": bearer, "kind": kind})
        fault = next((f for f in _faults if f["times"] and f["fault"] == rpc and f["id"] in text), None)
        if fault:
            fault["times"] -= 1
    if fault:
        raise Refusal(fault["code"], "injected")
    holder = _holder(bearer)
    if not holder:
        raise Refusal("UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie "
                      "or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.")
    if holder["who"].startswith("denied"):
        where = getattr(request, "name", "") or getattr(request, "parent", "") or request.secret.name
        raise Refusal("PERMISSION_DENIED", f"Permission '{PERMISSION.get(rpc, rpc)}' denied for resource '{where}' (or it may not exist).")
    return _perform(rpc, request)


# --- identity -----------------------------------------------------------------------------------------------------

def _issue(who, kind, detail):
    token = "ya29." + secrets.token_urlsafe(24)
    with _lock:
        _tokens[token] = {"who": who, "kind": kind, "detail": detail}
    return token


def _account_token(form):
    """oauth2.googleapis.com/token, JWT bearer grant."""
    if form.get("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer":
        return 400, {"error": "unsupported_grant_type", "error_description": "Invalid grant_type: " + form.get("grant_type", "")}
    assertion = form.get("assertion", "")
    try:
        claimed = json.loads(R.unb64(assertion.split(".")[1]))
    except (ValueError, IndexError):
        return 400, {"error": "invalid_grant", "error_description": "Invalid JWT."}
    if claimed.get("iss") not in _run["accounts"]:
        return 400, {"error": "invalid_grant", "error_description": "Invalid grant: account not found"}
    got = R.claims(assertion, [_run["accounts"][claimed["iss"]]])
    if not got:
        return 400, {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}
    if got.get("aud") != "https://oauth2.googleapis.com/token" or got.get("exp", 0) < time.time():
        return 400, {"error": "invalid_grant", "error_description": "Invalid JWT: Token must be a short-lived token"}
    token = _issue(got["iss"], "oauth2", {"by": "key"})
    return 200, {"access_token": token, "expires_in": 3599, "token_type": "Bearer"}


def _exchange(form, kind):
    """securetoken (JSON) and sts (form): a ServiceAccount token of the API server becomes an access token."""
    got = R.claims(form.get("subject_token", ""), _run["keys"])
    audience = form.get("audience", "")
    if form.get("grant_type") != "urn:ietf:params:oauth:grant-type:token-exchange":
        return 400, {"error": "invalid_request", "error_description": "Invalid grant_type"}
    if not got or got.get("exp", 0) < time.time():
        return 400, {"error": "invalid_grant", "error_description": "The subject token is not valid."}
    wanted = audience.split(":")[1] if audience.startswith("identitynamespace:") else None
    if wanted and wanted not in got.get("aud", []):
        return 400, {"error": "invalid_grant", "error_description": f"The audience in ID Token {got.get('aud')} does not match the expected audience {wanted}."}
    token = _issue(got["sub"], kind, {"by": kind, "audience": audience, "aud": got.get("aud"), "sub": got["sub"]})
    return 200, {"access_token": token, "issued_token_type": "urn:ietf:params:oauth:token-type:access_token", "token_type": "Bearer", "expires_in": 3599}


def _impersonate(bearer, email, scope):
    with _lock:
        holder = _tokens.get(bearer)
        _seen.append({"rpc": "GenerateAccessToken", "text": json.dumps({"name": email, "scope": sorted(scope)}), "bearer": bearer, "kind": "iam"})
    if not holder:
        raise Refusal("UNAUTHENTICATED", "Request had invalid authentication credentials.")
    if email.startswith("denied") or holder["who"].startswith("denied"):
        raise Refusal("PERMISSION_DENIED", f"Permission 'iam.serviceAccounts.getAccessToken' denied on resource (or it may not exist).")
    return _issue(email, "impersonated", {"by": holder["detail"]})


def _metadata(path, headers):
    url = urllib.parse.urlsplit(path)
    if url.path == "/":
        return 200, "text/plain", "computeMetadata/"
    if headers.get("Metadata-Flavor") != "Google":
        return 403, "text/plain", "Missing Metadata-Flavor:Google header."
    part = url.path.removeprefix("/computeMetadata/v1/").rstrip("/")
    with _lock:
        _seen.append({"rpc": "metadata " + part, "text": url.query, "bearer": "", "kind": "metadata"})
    plain = {"project/project-id": META["project"], "instance/attributes/cluster-location": META["location"],
             "instance/attributes/cluster-name": META["cluster"], "universe/universe-domain": "googleapis.com",
             "instance/service-accounts/default/email": "node@meta-project.iam.gserviceaccount.com",
             "instance/zone": f"projects/1/zones/{META['location']}-a", "project/numeric-project-id": "1"}
    if part in plain:
        return 200, "application/text", plain[part]
    if re.fullmatch(r"instance/service-accounts/[^/]+/token", part):
        token = _issue("node@meta-project.iam.gserviceaccount.com", "metadata", {"by": "metadata server"})
        return 200, "application/json", json.dumps({"access_token": token, "expires_in": 3599, "token_type": "Bearer"})
    return 404, "text/plain", "not found"


# --- REST and gRPC front ------------------------------------------------------------------------------------------

class _Rest(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120

    def log_message(self, *a):
        pass

    def _answer(self, status, value):
        data = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json; charset=UTF-8")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _do(self):
        from google.protobuf import json_format
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        host = (self.headers.get("Host") or "").split(":")[0].lower()
        url = urllib.parse.urlsplit(self.path)
        bearer = (self.headers.get("Authorization") or "").removeprefix("Bearer ")
        query = dict(urllib.parse.parse_qsl(url.query))
        path = urllib.parse.unquote(url.path)
        try:
            if host == "oauth2.googleapis.com" and path == "/token":
                return self._answer(*_account_token(dict(urllib.parse.parse_qsl(body.decode()))))
            if host == "securetoken.googleapis.com":
                return self._answer(*_exchange(json.loads(body), "securetoken"))
            if host == "sts.googleapis.com":
                return self._answer(*_exchange(dict(urllib.parse.parse_qsl(body.decode())), "sts"))
            if host == "iamcredentials.googleapis.com" and (m := re.fullmatch(r"/v1/projects/-/serviceAccounts/([^:]+):generateAccessToken", path)):
                token = _impersonate(bearer, m[1], json.loads(body).get("scope", []))
                return self._answer(200, {"accessToken": token, "expireTime": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 3599))})
            for method, pattern, rpc, whole, field in REST:
                found = re.fullmatch("/v1/" + pattern, path) if method == self.command else None
                if not found:
                    continue
                data = {k: v for k, v in query.items() if k not in ("alt", "$alt", "prettyPrint", "key")}
                if whole and body:
                    sent = json.loads(body)
                    data = {**data, **sent} if whole == "*" else {**data, whole: sent}
                if field == "secret.name":
                    data.setdefault("secret", {})["name"] = found[1]
                else:
                    data[field] = found[1]
                request = json_format.ParseDict(data, _message(rpc + "Request")(), ignore_unknown_fields=True)
                return self._answer(200, json_format.MessageToDict(_guarded(rpc, request, bearer, "REST")))
            raise Refusal("NOT_FOUND", "The requested URL was not found on this server.")
        except Refusal as err:
            status = HTTP.get(err.code, 500)
            self._answer(status, {"error": {"code": status, "message": err.text, "status": err.code}})
        except (ValueError, json_format.ParseError) as err:
            self._answer(400, {"error": {"code": 400, "message": str(err), "status": "INVALID_ARGUMENT"}})

    do_GET = do_POST = do_PATCH = do_DELETE = _do


def _varint(data, i):
    value = shift = 0
    while True:
        value |= (data[i] & 127) << shift
        shift += 7
        i += 1
        if not data[i - 1] & 128:
            return value, i


def _fields(data):
    """Length-delimited fields of a message: [(number, bytes)]."""
    out, i = [], 0
    while i < len(data):
        tag, i = _varint(data, i)
        if tag & 7 != 2:
            raise ValueError("unexpected wire type")
        size, i = _varint(data, i)
        out.append((tag >> 3, data[i:i + size]))
        i += size
    return out


def _grpc_server(cert, key):
    import grpc

    def handle(method):
        def run(data, context):
            bearer = dict(context.invocation_metadata()).get("authorization", "").removeprefix("Bearer ")
            try:
                if method.startswith(SERVICE):
                    rpc = method.removeprefix(SERVICE)
                    return _guarded(rpc, _message(rpc + "Request").FromString(data), bearer, "gRPC").SerializeToString()
                if method == "/google.iam.credentials.v1.IAMCredentials/GenerateAccessToken":
                    fields = _fields(data)
                    name = next(v for n, v in fields if n == 1).decode()
                    token = _impersonate(bearer, name.split("/")[-1], [v.decode() for n, v in fields if n == 4]).encode()
                    return b"\x0a" + bytes([len(token)]) + token
                raise Refusal("UNIMPLEMENTED", method)
            except Refusal as err:
                context.abort(getattr(grpc.StatusCode, err.code), err.text)
        return run

    class Any(grpc.GenericRpcHandler):
        def service(self, details):
            return grpc.unary_unary_rpc_method_handler(handle(details.method))

    server = grpc.server(futures.ThreadPoolExecutor(24), handlers=[Any()])
    credentials = grpc.ssl_server_credentials([(open(key, "rb").read(), open(cert, "rb").read())])
    port = server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    return server, port


def _offered(hello):
    """The ALPN names in a TLS ClientHello."""
    try:
        i = 5 + 4 + 2 + 32
        i += 1 + hello[i]
        i += 2 + int.from_bytes(hello[i:i + 2], "big")
        i += 1 + hello[i]
        end, i = i + 2 + int.from_bytes(hello[i:i + 2], "big"), i + 2
        while i < end:
            kind, size = int.from_bytes(hello[i:i + 2], "big"), int.from_bytes(hello[i + 2:i + 4], "big")
            if kind == 16:
                out, j = [], i + 6
                while j < i + 4 + size:
                    out.append(hello[j + 1:j + 1 + hello[j]].decode())
                    j += 1 + hello[j]
                return out
            i += 4 + size
    except IndexError:
        pass
    return []


def _pump(a, b):
    try:
        while data := a.recv(65536):
            b.sendall(data)
    except OSError:
        pass
    for s in (a, b):
        try:
            s.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def _connection(conn, rest, rpc):
    try:
        conn.settimeout(20)
        hello = b""
        for _ in range(100):
            hello = conn.recv(16384, socket.MSG_PEEK)
            if not hello or (len(hello) >= 5 and len(hello) >= 5 + int.from_bytes(hello[3:5], "big")):
                break
            time.sleep(0.01)
        names = _offered(hello)
        conn.settimeout(None)
        other = socket.create_connection(("127.0.0.1", rpc if "h2" in names and "http/1.1" not in names else rest))
        threading.Thread(target=_pump, args=(other, conn), daemon=True).start()
        _pump(conn, other)
        other.close()
    except OSError:
        pass
    conn.close()


def _listen(rest, rpc):
    listener = socket.create_server((FRONT, 443), backlog=128)

    def accept():
        while True:
            try:
                conn, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=_connection, args=(conn, rest, rpc), daemon=True).start()
    threading.Thread(target=accept, daemon=True).start()
    return listener


def _wait(port):
    for _ in range(150):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError("the Secret Manager server did not start")


def start(context):
    import grpc
    _, ca = R.authority()
    tmp = _run["tmp"] = tempfile.mkdtemp(prefix="gcp-")
    _run["keys"] = R.api_keys(context["api"])
    address, _run["url"] = os.environ.get("GCP_SM_ADDR"), os.environ.get("GCP_SM_URL")
    if not address and not _run["url"]:
        command = os.environ.get("GCP_SM_SERVER")
        if not command:
            raise RuntimeError("GCP_SM_SERVER is not set")
        port, web = free_port(), free_port()
        log = open(os.path.join(tmp, "server.log"), "w")
        _run["process"] = subprocess.Popen([*shlex.split(command), "--grpc-port", str(port), "--http-port", str(web)],
                                           stdout=log, stderr=log, stdin=subprocess.DEVNULL, cwd=tmp)
        address = "127.0.0.1:%d" % port
        if os.environ.get("GCP_SM_REST"):
            _run["url"] = "http://127.0.0.1:%d" % web
            _wait(web)
    if not _run["url"]:
        _run["channel"] = grpc.insecure_channel(address)
        grpc.channel_ready_future(_run["channel"]).result(timeout=30)
    keys = {}
    for name in ("reader", "denied", "wrong"):
        R.openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", f"{tmp}/{name}.key")
        keys[name] = open(f"{tmp}/{name}.key").read()
    _run["accounts"] = {ACCOUNT: R.modulus(f"{tmp}/reader.key"), DENIED: R.modulus(f"{tmp}/denied.key")}
    for name in (".googleapis.com",):
        R.table(name, FRONT)
    R.table("metadata.google.internal", R.META)
    crt, key = R.certificate(["*.googleapis.com", "secretmanager.europe-west3.rep.googleapis.com"])
    rest = _run["rest"] = R.serve("127.0.0.1", 0, _Rest, crt, key)
    _run["grpc"], rpc = _grpc_server(crt, key)
    _run["listener"] = _listen(rest.server_address[1], rpc)
    R.metadata("/computeMetadata/", _metadata)
    variables = {"GCP_META_PROJECT": META["project"], "GCP_META_LOCATION": META["location"], "GCP_META_CLUSTER": META["cluster"]}
    for var, email, name in (("GCP_KEY", ACCOUNT, "reader"), ("GCP_KEY_DENIED", DENIED, "denied"), ("GCP_KEY_WRONG", ACCOUNT, "wrong")):
        text = json.dumps({"type": "service_account", "project_id": "case-project", "private_key_id": "0" * 40, "private_key": keys[name],
                           "client_email": email, "client_id": "1", "token_uri": "https://oauth2.googleapis.com/token"})
        variables[var], variables[var + "_B64"] = text, base64.b64encode(text.encode()).decode()
    return {"vars": variables, "env": {"SSL_CERT_FILE": ca, "CLOUDSDK_CONFIG": tmp}}


# --- what cases ask for -------------------------------------------------------------------------------------------

def _path(text):
    """PROJECT[/LOCATION]/name -> (parent, name)"""
    parts = text.split("/")
    parent = "projects/" + parts[0] + (f"/locations/{parts[1]}" if len(parts) == 3 else "")
    return parent, parts[-1]


def _ask(rpc, data):
    from google.protobuf import json_format
    return _perform(rpc, json_format.ParseDict(data, _message(rpc + "Request")()))


def apply(spec):
    for step in spec or []:
        if "fault" in step:
            with _lock:
                _faults.append(dict(step))
        elif "secret" in step:
            parent, name = _path(step["secret"])
            _ask("CreateSecret", {"parent": parent, "secretId": name, "secret": {k: step[k] for k in ("labels", "annotations", "replication") if k in step}})
            for version in step.get("versions") or []:
                data = version["b64"] if isinstance(version, dict) else base64.b64encode(str(version).encode()).decode()
                _ask("AddSecretVersion", {"parent": f"{parent}/secrets/{name}", "payload": {"data": data}})
        elif verb := next((v for v in ("disable", "enable", "destroy") if v in step), None):
            where, number = step[verb].rsplit("/", 1)
            parent, name = _path(where)
            _ask(verb.capitalize() + "SecretVersion", {"name": f"{parent}/secrets/{name}/versions/{number}"})
        else:
            try:
                _ask(step["call"], step.get("with") or {})
                code = None
            except Refusal as err:
                code = err.code
            if code != step.get("fails"):
                raise ValueError(f"gcp {step}: got {code}, wanted {step.get('fails')}")


DROP = {"createTime", "etag", "dataCrc32c", "destroyTime", "clientSpecifiedPayloadChecksum", "pageSize"}


def _clean(v):
    if isinstance(v, dict):
        out = {k: _clean(x) for k, x in sorted(v.items()) if k not in DROP}
        if isinstance(out.get("data"), str) and set(v) <= {"data", "dataCrc32c"}:
            out["data"] = base64.b64decode(out["data"]).decode("utf-8", "backslashreplace")
        return out
    if isinstance(v, list):
        return sorted((_clean(x) for x in v), key=lambda x: json.dumps(x, sort_keys=True))
    return v


def _used(ident):
    """(requests that hold the id, what their tokens are)"""
    with _lock:
        at = [e for e in _seen if ident in e["text"]]
        return at, [_tokens[b] for b in {e["bearer"] for e in at} if b in _tokens]


def observe(spec):
    from google.protobuf import json_format
    out = []
    for step in spec or []:
        if "seen" in step:
            with _lock:
                texts = {e["text"] for e in _seen if e["rpc"] == step["seen"] and step["id"] in e["text"]}
            found = []
            for text in texts:
                data = _clean(json.loads(text))
                if isinstance(data.get("updateMask"), str):  # only what the mask names has an effect
                    mask = sorted(data["updateMask"].split(","))
                    data = {"updateMask": ",".join(mask), "secret": {k: v for k, v in data["secret"].items() if k in mask + ["name"]}}
                if step.get("only"):
                    data = {k: data[k] for k in step["only"] if k in data}
                found.append(json.dumps(data, sort_keys=True, ensure_ascii=False))
            out.append({"seen": step["seen"], "requests": sorted(set(found))})
            continue
        if "tokens" in step:
            out.append({"tokens": sorted({json.dumps({"who": t["who"], **t["detail"]}, sort_keys=True) for t in _used(step["tokens"])[1]})})
            continue
        try:
            got = _clean(json_format.MessageToDict(_ask(step["call"], step.get("with") or {})))
        except Refusal as err:
            out.append({"call": step["call"], "error": err.code})
            continue
        if step.get("only"):
            got = {k: got[k] for k in step["only"] if k in got}
        out.append({"call": step["call"], "answer": json.dumps(got, sort_keys=True, ensure_ascii=False)})
    return {"kind": "Backend", "name": "gcp", "answers": out}


def calls(ident):
    at, tokens = _used(ident)
    n = collections.Counter(e["rpc"] for e in at)
    n.update("token " + t["kind"] for t in tokens)
    return dict(sorted(n.items()))


def stop():
    if "listener" in _run:
        _run.pop("listener").close()
    if "grpc" in _run:
        _run.pop("grpc").stop(1)
    if "rest" in _run:
        server = _run.pop("rest")
        server.shutdown()
        server.server_close()
    if "channel" in _run:
        _run.pop("channel").close()
    process = _run.pop("process", None)
    if process:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
    shutil.rmtree(_run.pop("tmp", "") or "/nonexistent", ignore_errors=True)
    R.close()
