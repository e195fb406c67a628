"""A scripted HTTP and HTTPS server on loopback, for providers whose real service cannot run here.

Needs `openssl` for the throw-away certificates. Standard library only.

  start()      -> {"vars", "env"}; variables for $NAME substitution:
       SCRIPT, SCRIPT_TLS          base URLs (http, https), SCRIPTHOST, SCRIPT_TLSHOST the same as host:port
       SCRIPT_CA, SCRIPT_CA_B64    the certificate authority (PEM, base64 of PEM); the operator gets it as SSL_CERT_FILE
       SCRIPT_CLIENT_CERT, SCRIPT_CLIENT_KEY   a client certificate of that authority (asked for, not demanded)
       SCRIPT_RSA_KEY              a private key (PEM) whose signatures are checked: `show: jwt` then adds signature: valid, and
                                   the signature="..." of an `Authorization: Signature version="1"` (OCI) is shown as
                                   <valid> or <not valid>, x-content-sha256 as <of the body>
                                   likewise x-ops-authorization-1 of a Chef request
       SCRIPT_HMAC_KEY             a secret key: the signature of a Volcengine authorization with it is shown as <valid> or <not valid>
       SCRIPT_BOX_KEY              a Curve25519 public key (base64) whose sealed boxes `show: sealed` can open
  apply({routes: [route, ...]})   The routes of a later apply go before those of an earlier one; in one apply the first
       that fits is taken. Nothing fits: 404 "no such route". Cases are kept apart by $ID in the path, the host, a
       header or the body. A route has
         method   default: any
         path     exact, without the query; `re:...` = regular expression for the whole path (percent-encoding as sent)
         host     host name without port. A name of backends/script-hosts.txt leads here only where `cargo xtask cases` redirects it
         query, header, form   {name: value} that must be there; value may be `re:...` (search); null = must be absent;
                  the header `basic` is the decoded basic authorization
         json     subset of the JSON body; texts may be `re:...`
         text     what the body must hold, or `re:...`
         times    serve this many requests, then fall through to the next route that fits
         sets     a word (with $ID) that is remembered once this route was taken; a list sets several
         when, unless   the route only counts after (while not) that word was set; a list means all (none) of them
         status (200), headers, body (text, or a mapping/list = JSON), base64 (bytes), delay (seconds),
         close: true (hang up without an answer)
       In answers {{path.1}} (group of the path's expression), {{query.x}}, {{header.x}}, {{form.x}}, {{body.a.b}}
       (JSON) and {{time}} (epoch seconds; {{time+3600}}) are filled in, and {{rfc3339+3600}}.
  apply({unset: word or list})    forgets words.
  observe({about: $ID, ...})      The different requests that hold this text anywhere, sorted; further:
         path (prefix or `re:`), method (one or a list), host: filters; not: `re:` on "METHOD path" to leave out
         headers  names to show besides authorization and content-type (with body); [] = none at all
         order: true   in order of first arrival, in place of sorted
         count: true   with the number of times each came
         names: true   only "METHOD path"
         lean: true    without what says nothing: empty query values and headers, and in a JSON body null, "", [], {}, false, 0 and
                       the year 1 (what a Go program sends for a field that is not set)
         mask     list of {at, re?, as?, show?}: at = path, query.x, header.x, body, body.a.b (`*` = every element);
                  what matches re (default: all) becomes `as` (default <masked>); drop: true = left out; show: jwt = header and claims without
                  times and ids, b64 = decoded text, size = how many bytes that would be, hex = number of digits, pem = first
                  line, json = parsed, sealed = opened (a libsodium sealed box for $SCRIPT_BOX_KEY, base64)
       A request is {method, path (with sorted query), host (only of script-hosts.txt), headers, body}: JSON parsed, form as
       {form: {}}; basic authorization is shown decoded; content types without parameters.
  calls(id)    -> {"METHOD path": n}
"""
import base64, collections, hashlib, hmac, http.server, json, os, re, shutil, socket, ssl, subprocess, tempfile, threading, time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
HOSTS_FILE = os.path.join(HERE, "script-hosts.txt")
# Environment for the operator: how some providers are turned away from their fixed hosts ({http}, {https} are filled in).
ENV = {"DOPPLER_BASE_URL": "{http}", "SSL_CERT_FILE": "{ca_file}"}

HMAC_KEY = "script-hmac-key"

_lock = threading.Lock()
_batches, _seen, _words, _servers = [], [], set(), []
_tmp, _modulus = None, 1


def _hosts():
    with open(HOSTS_FILE) as f:
        return [line.split("#")[0].strip() for line in f if line.split("#")[0].strip()]


def _redirected():
    """The address that the names of script-hosts.txt lead to, or None where they are not redirected."""
    return os.environ.get("SCRIPT_HOSTS_ADDR") or None


# --- matching ---------------------------------------------------------------------------------------------------

def _like(want, have):
    """Whether a value fits: `re:` searches, null means absent, mappings and lists are subsets."""
    if want is None:
        return have is None
    if isinstance(want, str):
        if have is None:
            return False
        text = have if isinstance(have, str) else json.dumps(have)
        return re.search(want[3:], text, re.S) is not None if want.startswith("re:") else text == want
    if isinstance(want, dict):
        return isinstance(have, dict) and all(_like(v, have.get(k)) for k, v in want.items())
    if isinstance(want, list):
        return isinstance(have, list) and len(want) == len(have) and all(_like(w, h) for w, h in zip(want, have))
    return want == have


def _words_of(value):
    return [] if value is None else value if isinstance(value, list) else [value]


def _fits(route, rq):
    """The match object or True when the route is for this request."""
    if route.get("method") and rq["method"] not in _words_of(route["method"]):
        return None
    if route.get("times") is not None and route["times"] <= 0:
        return None
    if any(w not in _words for w in _words_of(route.get("when"))) or any(w in _words for w in _words_of(route.get("unless"))):
        return None
    if route.get("host") and not _like(route["host"], rq["host"]):
        return None
    found = True
    path = route.get("path")
    if path is not None:
        if path.startswith("re:"):
            found = re.fullmatch(path[3:], rq["bare"])
            if not found:
                return None
        elif path not in (rq["bare"], urllib.parse.unquote(rq["bare"])):
            return None
    for kind in ("query", "header", "form"):
        for name, want in (route.get(kind) or {}).items():
            if not _like(str(want) if isinstance(want, (int, bool)) else want,
                         rq[kind].get(name.lower() if kind == "header" else name)):
                return None
    if "json" in route and not _like(route["json"], rq["json"]):
        return None
    if "text" in route:
        want = route["text"]
        if not (re.search(want[3:], rq["text"], re.S) if want.startswith("re:") else want in rq["text"]):
            return None
    return found


def _walk(value, dotted):
    for part in dotted.split("."):
        if isinstance(value, list) and part.isdigit():
            value = value[int(part)] if int(part) < len(value) else None
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def _fill(value, rq, found):
    if isinstance(value, dict):
        return {k: _fill(v, rq, found) for k, v in value.items()}
    if isinstance(value, list):
        return [_fill(v, rq, found) for v in value]
    if not isinstance(value, str) or "{{" not in value:
        return value

    def one(match):
        what = match.group(1).strip()
        clock = re.fullmatch(r"(time|rfc3339)([+-]\d+)?", what)
        if clock:
            at = time.time() + int(clock.group(2) or 0)
            return str(int(at)) if clock.group(1) == "time" else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(at))
        kind, _, name = what.partition(".")
        if kind == "path":
            return (found.group(int(name)) or "") if hasattr(found, "group") else ""
        if kind == "body":
            got = _walk(rq["json"], name)
        elif kind in ("query", "header", "form"):
            got = rq[kind].get(name)
        else:
            return match.group(0)
        return got if isinstance(got, str) else "" if got is None else json.dumps(got)
    whole = re.fullmatch(r"\{\{(time(?:[+-]\d+)?)\}\}", value)
    return int(one(whole)) if whole else re.sub(r"\{\{([^{}]+)\}\}", one, value)


# --- the server -------------------------------------------------------------------------------------------------

class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120

    def log_message(self, *args):
        pass

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def _body(self):
        if "chunked" in (self.headers.get("Transfer-Encoding") or "").lower():
            out = b""
            while True:
                size = int(self.rfile.readline().split(b";")[0].strip() or b"0", 16)
                out += self.rfile.read(size)
                self.rfile.readline()
                if size == 0:
                    return out
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _serve(self):
        raw = self._body()
        target = self.path if self.path.startswith("/") else urllib.parse.urlsplit(self.path)._replace(
            scheme="", netloc="").geturl()
        bare, _, query = target.partition("?")
        rq = {"method": self.command, "target": self.path, "bare": bare, "raw_query": query,
              "host": re.sub(r":\d+$", "", self.headers.get("Host") or ""),
              "query": dict(urllib.parse.parse_qsl(query, keep_blank_values=True)),
              "header": {k.lower(): v for k, v in self.headers.items()}, "raw": raw,
              "text": raw.decode("utf-8", "replace"), "json": None, "form": {}, "client": None,
              "tls": isinstance(self.connection, ssl.SSLSocket)}
        if rq["header"].get("authorization", "").startswith("Basic "):
            try:
                rq["header"]["basic"] = base64.b64decode(rq["header"]["authorization"][6:]).decode()
            except (ValueError, UnicodeDecodeError):
                pass
        if rq["tls"]:
            cert = self.connection.getpeercert() or {}
            rq["client"] = next((v for part in cert.get("subject", ()) for k, v in part if k == "commonName"), None)
        if "form" in rq["header"].get("content-type", "") and "multipart" not in rq["header"].get("content-type", ""):
            rq["form"] = dict(urllib.parse.parse_qsl(rq["text"], keep_blank_values=True))
        try:
            rq["json"] = json.loads(rq["text"]) if rq["text"].strip()[:1] in ("{", "[", '"') else None
        except ValueError:
            pass
        with _lock:
            _seen.append(rq)
            route, found = None, None
            for batch in reversed(_batches):
                for candidate in batch:
                    found = _fits(candidate, rq)
                    if found:
                        route = candidate
                        break
                if route:
                    break
            if route:
                if route.get("times") is not None:
                    route["times"] -= 1
                _words.update(_words_of(route.get("sets")))
        self._answer(route, rq, found)

    def _answer(self, route, rq, found):
        if route is None:
            route = {"status": 404, "body": "no such route"}
        if route.get("delay"):
            time.sleep(float(route["delay"]))
        if route.get("close"):
            self.close_connection = True
            try:
                self.connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            return
        headers = {k.lower(): str(v) for k, v in _fill(route.get("headers") or {}, rq, found).items()}
        body = _fill(route.get("body", ""), rq, found)
        if "base64" in route:
            payload = base64.b64decode(route["base64"])
            headers.setdefault("content-type", "application/octet-stream")
        elif isinstance(body, str):
            payload = body.encode()
            headers.setdefault("content-type", "application/json" if body[:1] in ("{", "[") else "text/plain")
        else:
            payload = json.dumps(body, ensure_ascii=False).encode()
            headers.setdefault("content-type", "application/json")
        status = route.get("status", 200)
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        empty = status in (204, 304) or self.command == "HEAD"
        if not empty:
            self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        if not empty:
            self.wfile.write(payload)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        pass  # a client that hangs up, or does not trust the certificate


def _openssl(*args):
    subprocess.run(["openssl", *args], check=True, capture_output=True)


def _certificates(names):
    j = lambda n: os.path.join(_tmp, n)
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    _openssl("req", "-x509", *curve, "-days", "3650", "-subj", "/CN=cases authority", "-keyout", j("ca.key"),
             "-out", j("ca.crt"), "-addext", "basicConstraints=critical,CA:TRUE",
             "-addext", "keyUsage=critical,keyCertSign,cRLSign")
    for name, subject, more in (("server", "/CN=cases server", "extendedKeyUsage=serverAuth\nsubjectAltName=" + ",".join(names)),
                                ("client", "/CN=cases client", "extendedKeyUsage=clientAuth")):
        with open(j(name + ".ext"), "w") as f:
            f.write("basicConstraints=CA:FALSE\nkeyUsage=digitalSignature\n" + more + "\n")
        _openssl("req", *curve, "-subj", subject, "-keyout", j(name + ".key"), "-out", j(name + ".csr"))
        _openssl("x509", "-req", "-in", j(name + ".csr"), "-CA", j("ca.crt"), "-CAkey", j("ca.key"), "-CAcreateserial",
                 "-days", "3650", "-extfile", j(name + ".ext"), "-out", j(name + ".crt"))


def start():
    global _tmp, _modulus
    _tmp = tempfile.mkdtemp(prefix="script-")
    j = lambda n: os.path.join(_tmp, n)
    addr = _redirected()
    names = ["IP:127.0.0.1", "DNS:localhost"] + ["DNS:" + n for n in _hosts()]
    _certificates(names + (["IP:" + addr] if addr else []))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(j("server.crt"), j("server.key"))
    context.load_verify_locations(j("ca.crt"))
    context.verify_mode = ssl.CERT_OPTIONAL
    places = [("127.0.0.1", 0, False), ("127.0.0.1", 0, True)]
    if addr:
        places += [(addr, 443, True), (addr, 80, False), (addr, 8714, True)]  # 8714: Password Depot
    for host, port, tls in places:
        server = _Server((host, port), _Handler)
        if tls:
            server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        _servers.append(server)
    plain, tls = (s.server_address[1] for s in _servers[:2])
    _openssl("genrsa", "-out", j("rsa.key"), "2048")
    _modulus = int(subprocess.run(["openssl", "rsa", "-in", j("rsa.key"), "-noout", "-modulus"], check=True,
                                  capture_output=True).stdout.decode().strip().split("=")[1], 16)
    text = {n: open(j(n)).read() for n in ("ca.crt", "client.crt", "client.key", "rsa.key")}
    known = {"http": f"http://127.0.0.1:{plain}", "https": f"https://127.0.0.1:{tls}", "ca_file": j("ca.crt")}
    return {"vars": {"SCRIPT": known["http"], "SCRIPT_TLS": known["https"], "SCRIPTHOST": f"127.0.0.1:{plain}",
                     "SCRIPT_TLSHOST": f"127.0.0.1:{tls}", "SCRIPT_CA": text["ca.crt"],
                     "SCRIPT_CA_B64": base64.b64encode(text["ca.crt"].encode()).decode(),
                     "SCRIPT_CLIENT_CERT": text["client.crt"], "SCRIPT_CLIENT_KEY": text["client.key"],
                     "SCRIPT_HMAC_KEY": HMAC_KEY, "SCRIPT_RSA_KEY": text["rsa.key"],
                     "SCRIPT_BOX_KEY": base64.b64encode(_x25519(_BOX_SECRET, b"\x09" + bytes(31))).decode()},
            "env": {k: v.format(**known) for k, v in ENV.items()}}


_ROUTE = {"method", "path", "host", "query", "header", "form", "json", "text", "times", "sets", "when", "unless", "status",
          "headers", "body", "base64", "delay", "close"}


def apply(spec):
    fixed = set(_hosts())
    for route in spec.get("routes") or []:
        unknown = set(route) - _ROUTE
        if unknown:
            raise ValueError(f"script: unknown key in a route: {sorted(unknown)}")
        if route.get("host") in fixed and not _redirected():
            raise ValueError(f"script: {route['host']} is a fixed host: run the area with `cargo xtask cases`")
    with _lock:
        if spec.get("routes"):
            _batches.append([dict(r) for r in spec["routes"]])
        _words.difference_update(_words_of(spec.get("unset")))


# --- looking ----------------------------------------------------------------------------------------------------

# What opens a sealed box: X25519, XSalsa20 and Poly1305, as small as they can be written.
_BOX_SECRET = hashlib.sha256(b"cases sealed box").digest()


def _x25519(scalar, point):
    p, k = 2 ** 255 - 19, bytearray(scalar)
    k[0] &= 248
    k[31] = (k[31] & 127) | 64
    n, x1 = int.from_bytes(k, "little"), int.from_bytes(point, "little") & (2 ** 255 - 1)
    x2, z2, x3, z3, swap = 1, 0, x1, 1, 0
    for t in range(254, -1, -1):
        bit = n >> t & 1
        if swap != bit:
            x2, x3, z2, z3 = x3, x2, z3, z2
        swap = bit
        a, b, c, d = x2 + z2, x2 - z2, x3 + z3, x3 - z3
        da, cb, aa, bb = d * a % p, c * b % p, a * a % p, b * b % p
        x3, z3 = (da + cb) ** 2 % p, x1 * (da - cb) ** 2 % p
        x2, z2 = aa * bb % p, (aa - bb) * (aa + 121665 * (aa - bb)) % p
    if swap:
        x2, z2 = x3, z3
    return (x2 * pow(z2, p - 2, p) % p).to_bytes(32, "little")


def _salsa(key, block, hashed):
    words = lambda b: [int.from_bytes(b[i:i + 4], "little") for i in range(0, len(b), 4)]
    c, k, n = words(b"expand 32-byte k"), words(key), words(block)
    start = [c[0], *k[:4], c[1], *n, c[2], *k[4:], c[3]]
    x = list(start)
    rounds = [(0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11), (0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14)]
    for _ in range(10):
        for a, b, d, e in rounds:
            for to, one, two, by in ((b, a, e, 7), (d, b, a, 9), (e, d, b, 13), (a, e, d, 18)):
                v = (x[one] + x[two]) & 0xffffffff
                x[to] ^= (v << by | v >> (32 - by)) & 0xffffffff
    out = [x[i] for i in (0, 5, 10, 15, 6, 7, 8, 9)] if hashed else [(a + b) & 0xffffffff for a, b in zip(x, start)]
    return b"".join(w.to_bytes(4, "little") for w in out)


def _unseal(box):
    mine = _x25519(_BOX_SECRET, b"\x09" + bytes(31))
    other, tag, cipher = box[:32], box[32:48], box[48:]
    nonce = hashlib.blake2b(other + mine, digest_size=24).digest()
    key = _salsa(_salsa(_x25519(_BOX_SECRET, other), bytes(16), True), nonce[:16], True)
    stream = b"".join(_salsa(key, nonce[16:] + i.to_bytes(8, "little"), False) for i in range((len(cipher) + 32) // 64 + 1))
    r, s = int.from_bytes(stream[:16], "little") & 0x0ffffffc0ffffffc0ffffffc0fffffff, int.from_bytes(stream[16:32], "little")
    total = 0
    for i in range(0, len(cipher), 16):
        total = (total + int.from_bytes(cipher[i:i + 16] + b"\x01", "little")) * r % (2 ** 130 - 5)
    if ((total + s) % 2 ** 128).to_bytes(16, "little") != tag:
        raise ValueError("not for this key")
    return bytes(a ^ b for a, b in zip(cipher, stream[32:]))


def _rsa_valid(data, signature):
    """Whether this is the PKCS #1 v1.5 SHA-256 signature of the data with $SCRIPT_RSA_KEY."""
    size = (_modulus.bit_length() + 7) // 8
    wanted = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(data).digest()
    wanted = b"\0\1" + b"\xff" * (size - 3 - len(wanted)) + b"\0" + wanted
    return pow(int.from_bytes(signature, "big"), 65537, _modulus).to_bytes(size, "big") == wanted


def _oci_checked(rq):
    """An OCI signature header with the signature replaced by what it is worth."""
    value = rq["header"]["authorization"]
    parts = dict(re.findall(r'(\w+)="([^"]*)"', value))
    lines = []
    for name in parts.get("headers", "").split():
        lines.append(f"(request-target): {rq['method'].lower()} {rq['target']}" if name == "(request-target)"
                     else f"{name}: {rq['header'].get(name, '')}")
    try:
        valid = _rsa_valid("\n".join(lines).encode(), base64.b64decode(parts["signature"]))
    except (ValueError, KeyError, OverflowError):
        valid = False
    return value.replace(parts.get("signature", "?"), "<valid>" if valid else "<not valid>")


def _chef_checked(rq):
    """What the signature of a Chef request (X-Ops-Authorization-1.., protocol 1.0, $SCRIPT_RSA_KEY) is worth."""
    sha1 = lambda data: base64.b64encode(hashlib.sha1(data).digest()).decode()
    head, size = rq["header"], (_modulus.bit_length() + 7) // 8
    text = "\n".join([f"Method:{rq['method']}", f"Hashed Path:{sha1(urllib.parse.unquote(rq['bare']).encode())}",
                      f"X-Ops-Content-Hash:{sha1(rq['raw'])}", f"X-Ops-Timestamp:{head.get('x-ops-timestamp')}",
                      f"X-Ops-UserId:{head.get('x-ops-userid')}"]).encode()
    parts = [head[n] for n in sorted((n for n in head if n.startswith("x-ops-authorization-")), key=lambda n: int(n[20:]))]
    try:
        got = pow(int.from_bytes(base64.b64decode("".join(parts)), "big"), 65537, _modulus).to_bytes(size, "big")
    except (ValueError, OverflowError):
        got = b""
    fits = got == b"\0\1" + b"\xff" * (size - 3 - len(text)) + b"\0" + text and all(len(part) == 60 for part in parts[:-1])
    return "<valid>" if fits else "<not valid>"


def _volcengine_checked(rq):
    """An HMAC-SHA256 authorization ($SCRIPT_HMAC_KEY) with the day and the signature replaced."""
    value, head = rq["header"]["authorization"], rq["header"]
    found = re.fullmatch(r"HMAC-SHA256 Credential=[^/]+/((\d{8})/([^/]+)/([^/]+)/request), SignedHeaders=([^,]+), Signature=(\w+)", value)
    if not found:
        return value
    scope, day, region, service, names, signature = found.groups()
    sha256 = lambda data: hashlib.sha256(data).hexdigest()
    sign = lambda key, text: hmac.new(key, text.encode(), hashlib.sha256).digest()
    signed = "".join(f"{n}:{head.get(n, '').strip()}\n" for n in names.split(";"))
    query = "&".join(sorted(rq["raw_query"].split("&")))
    canonical = "\n".join([rq["method"], rq["bare"], query, signed, names, sha256(rq["raw"])])
    text = "\n".join(["HMAC-SHA256", head.get("x-date", ""), scope, sha256(canonical.encode())])
    key = HMAC_KEY.encode()
    for part in (day, region, service, "request"):
        key = sign(key, part)
    return value.replace(f"/{day}/", "/<day>/").replace(signature, "<valid>" if sign(key, text).hex() == signature else "<not valid>")


_VOLATILE = ("exp", "iat", "nbf", "jti")


def _show(text, how):
    if not isinstance(text, str):
        return text
    try:
        if how == "jwt":
            head, claims = (json.loads(base64.urlsafe_b64decode(p + "=" * (-len(p) % 4))) for p in text.split(".")[:2])
            if isinstance(claims.get("kubernetes.io"), dict):
                claims["kubernetes.io"] = {k: v.get("name") if isinstance(v, dict) else v
                                           for k, v in claims["kubernetes.io"].items() if k != "warnafter"}
            start, _, last = text.rpartition(".")
            signed = head.get("alg") == "RS256" and _rsa_valid(start.encode(), base64.urlsafe_b64decode(last + "=" * (-len(last) % 4)))
            return {"jwt": {**({"signature": "valid"} if signed else {}), "alg": head.get("alg"), "claims": {k: v for k, v in claims.items() if k not in _VOLATILE},
                            "times": sorted(k for k in claims if k in _VOLATILE and k != "jti")}}
        if how == "b64":
            return base64.b64decode(text + "=" * (-len(text) % 4), validate=True).decode()
        if how == "size":
            return f"<base64 of {len(base64.b64decode(text, validate=True))} bytes>"
        if how == "sealed":
            return "sealed: " + _unseal(base64.b64decode(text, validate=True)).decode()
        if how == "hex":
            return f"<{len(text)} hex digits>" if re.fullmatch(r"[0-9a-fA-F]*", text) else "<not hex>"
        if how == "pem":
            return text.split("\n")[0]
        if how == "json":
            return json.loads(text)
    except (ValueError, IndexError, UnicodeDecodeError):
        pass
    return f"<not {how}>"


def _masked(value, parts, rule):
    """Applies a mask at a path inside a value."""
    if not parts:
        if rule.get("show"):
            if rule.get("re") and isinstance(value, str):
                whole = re.fullmatch(rule["re"], value, re.S)  # one group: only that part is shown decoded
                if whole and whole.groups():
                    shown = _show(whole.group(1), rule["show"])
                    return value.replace(whole.group(1), shown if isinstance(shown, str) else json.dumps(shown, sort_keys=True))
                return value
            return _show(value, rule["show"])
        if rule.get("re"):
            text = value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)
            new = re.sub(rule["re"], lambda m: rule.get("as", "<masked>"), text)
            return value if new == text else new
        return rule.get("as", "<masked>")
    head, rest = parts[0], parts[1:]
    if isinstance(value, dict) and rule.get("drop") and not rest:
        return {k: v for k, v in value.items() if k != head}
    if isinstance(value, dict):
        return {k: _masked(v, rest, rule) if head in (k, "*") else v for k, v in value.items()}
    if isinstance(value, list):
        return [_masked(v, rest, rule) if head == "*" or head == str(i) else v for i, v in enumerate(value)]
    return value


def _lean(value):
    if isinstance(value, dict):
        value = {k: _lean(v) for k, v in value.items()}
        return {k: v for k, v in value.items() if v not in (None, "", [], {}, False, "0001-01-01T00:00:00Z")}
    return [_lean(v) for v in value] if isinstance(value, list) else value


def _canonical(path):
    return "/".join(urllib.parse.quote(urllib.parse.unquote(s), safe="-._~!$'()*,:@=&+;") for s in path.split("/"))


def _view(rq, spec):
    headers = {}
    wanted = spec.get("headers")
    names = [] if wanted == [] else ["authorization"] + [h.lower() for h in wanted or []]
    if wanted != [] and rq["raw"]:
        names.append("content-type")
    for name in names:
        value = rq["header"].get(name)
        if value is None:
            continue
        if name == "content-type":
            value = value.split(";")[0].strip()
        if name == "authorization" and "basic" in rq["header"]:
            value = "Basic decoded " + rq["header"]["basic"]
        if name == "authorization" and value.startswith('Signature version="1"'):
            value = _oci_checked(rq)
        if name == "authorization" and value.startswith("HMAC-SHA256 Credential="):
            value = _volcengine_checked(rq)
        if name == "x-ops-authorization-1":
            value = _chef_checked(rq)
        if name == "x-content-sha256" and value == hashlib.sha256(rq["raw"]).hexdigest():
            value = "<of the body>"
        if name == "x-content-sha256" and value == base64.b64encode(hashlib.sha256(rq["raw"]).digest()).decode():
            value = "<of the body>"
        headers[name] = value
    body = rq["text"]
    if rq["json"] is not None:
        body = rq["json"]
    elif rq["form"]:
        body = {"form": rq["form"]}
    elif "multipart" in rq["header"].get("content-type", ""):
        mark = re.search(r'boundary="?([^";]+)', rq["header"]["content-type"])
        body = body.replace(mark.group(1), "<boundary>").replace("\r\n", "\n") if mark else body
    if spec.get("lean"):
        body = "" if rq["text"].strip() == "null" else _lean(body)
        if body == "":
            headers.pop("content-type", None)
        headers = {k: v for k, v in headers.items() if v}
    query = sorted(urllib.parse.parse_qsl(rq["raw_query"], keep_blank_values=not spec.get("lean")))
    out = {"method": rq["method"], "path": _canonical(rq["bare"]), "query": dict(query) if len(dict(query)) == len(query)
           else [list(q) for q in query], "header": headers, "body": body}
    for rule in spec.get("mask") or []:
        kind, _, rest = rule["at"].partition(".")
        if kind in out:
            out[kind] = _masked(out[kind], rest.split(".") if rest else [], rule)
    pairs = list(out["query"].items()) if isinstance(out["query"], dict) else out["query"]
    path = out["path"]
    if pairs:
        path += "?" + "&".join(f"{urllib.parse.quote(k, safe='[]')}={urllib.parse.quote(str(v), safe='<>:/@,*$ ')}"
                               for k, v in pairs)
    got = {"method": rq["method"], "path": path}
    if _redirected() and rq["host"] in _hosts():
        got["host"] = rq["host"]
    if rq["client"]:
        got["client"] = rq["client"]
    if out["header"]:
        got["headers"] = out["header"]
    if out["body"] not in ("", None):
        got["body"] = out["body"]
    return got


def _about(rq, text):
    if text in rq["bare"] or text in rq["raw_query"] or text in rq["text"] or text in rq["host"]:
        return True
    if text in urllib.parse.unquote(rq["raw_query"]):
        return True
    return any(text in value for value in rq["header"].values())


def _rank(item, ident):
    """Sorts by method and path; the case's own word must not matter."""
    inner = item.get("request", item) if isinstance(item, dict) else item
    key = [inner] if isinstance(inner, str) else [inner["method"], inner["path"], json.dumps(inner, sort_keys=True)]
    return [k.replace(ident, "$ID") if ident else k for k in key]


def observe(spec):
    with _lock:
        seen = list(_seen)
    out, counts = [], []
    for rq in seen:
        if spec.get("about") and not _about(rq, spec["about"]):
            continue
        if spec.get("host") and rq["host"] != spec["host"]:
            continue
        if spec.get("method") and rq["method"] not in _words_of(spec["method"]):
            continue
        path = spec.get("path")
        if path and not (re.search(path[3:], rq["bare"]) if path.startswith("re:") else rq["bare"].startswith(path)):
            continue
        if spec.get("not") and re.search(spec["not"].removeprefix("re:"), f"{rq['method']} {rq['bare']}"):
            continue
        view = _view(rq, spec)
        if spec.get("names"):
            view = f"{view['method']} {view.get('host', '')}{view['path']}"
        if view in out:
            counts[out.index(view)] += 1
        else:
            out.append(view)
            counts.append(1)
    if spec.get("count"):
        out = [{"request": o, "count": n} for o, n in zip(out, counts)]
    if not spec.get("order"):
        out.sort(key=lambda o: _rank(o, spec.get("about")))
    return {"kind": "Requests", "name": spec.get("about") or spec.get("path") or spec.get("host") or "all",
            "sequence" if spec.get("order") else "set": out}


def calls(ident):
    n = collections.Counter()
    with _lock:
        for rq in _seen:
            if _about(rq, ident):
                n[f"{rq['method']} {rq['bare']}".replace(ident, "$ID")] += 1
    return dict(sorted(n.items()))


def stop():
    for server in _servers:
        server.shutdown()
        server.server_close()
    _servers.clear()
    if _tmp:
        shutil.rmtree(_tmp, ignore_errors=True)


if __name__ == "__main__":
    started = start()
    print(json.dumps(started, indent=1), flush=True)
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        stop()
