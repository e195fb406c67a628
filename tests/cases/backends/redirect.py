"""What the cloud backends share: names that lead to loopback, a throw-away CA, TLS fronts, signature checks.

Not a backend. The clouds' clients have fixed host names and no endpoint setting, so the names are redirected instead of
the operator: `cargo xtask cases` runs control plane, runner and operator in a network and mount namespace of their own, where
/etc/resolv.conf names 127.0.0.53, 169.254.169.254 is an address of `lo`, and nothing else can be reached. Here are

  table(name, address)      a DNS answer; a name that begins with a dot is a suffix; all other names are NXDOMAIN
  authority()               -> (folder, CA file): made once per run with `openssl`; the operator gets it as SSL_CERT_FILE
  certificate(names)        -> (certificate file, key file) signed by that CA
  serve(address, port, handler, cert, key)   an HTTP/1.1 server, with TLS where a certificate is given
  metadata(prefix, handler) paths of http://169.254.169.254 (both clouds use that address)
  claims(token, keys)       claims of a RS256 token whose signature one of the keys (n, e) made, else None
  api_get(api, path), api_keys(api), modulus(file)   a document and the keys of the API server's tokens; the key (n, e) of a PEM file

Standard library and `openssl` only.
"""
import base64, hashlib, http.client, http.server, json, os, shutil, socket, socketserver, ssl, struct, subprocess, tempfile
import threading, urllib.parse

DNS = ("127.0.0.53", 53)
META = "169.254.169.254"
_names, _meta, _state, _lock = {}, {}, {}, threading.Lock()


def openssl(*args, **kw):
    return subprocess.run(["openssl", *args], check=True, capture_output=True, **kw).stdout


class _Dns(socketserver.BaseRequestHandler):
    def handle(self):
        data = self.request[0]
        labels, i = [], 12
        while data[i]:
            labels.append(data[i + 1:i + 1 + data[i]].decode("latin1").lower())
            i += data[i] + 1
        kind = struct.unpack(">H", data[i + 1:i + 3])[0]
        question, name = data[12:i + 5], ".".join(labels)
        address = _names.get(name)
        if address is None:
            address = next((a for n, a in _names.items() if n.startswith(".") and name.endswith(n)), None)
        answers = b""
        if address and kind == 1:
            answers = b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 5, 4) + socket.inet_aton(address)
        code = 0 if address else 3
        head = data[:2] + struct.pack(">HHHHH", 0x8580 | code, 1, 1 if answers else 0, 0, 0)
        self.request[1].sendto(head + question + answers, self.client_address)


class _Udp(socketserver.ThreadingUDPServer):
    daemon_threads = allow_reuse_address = True


class _Http(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, request, address):
        pass  # a client that hangs up or refuses our certificate is part of the cases


class _Meta(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 60

    def log_message(self, *a):
        pass

    def do_GET(self):
        found = next((h for p, h in _meta.items() if self.path.startswith(p)), None)
        if found is None:
            found = _meta.get("/computeMetadata/") if self.path == "/" else None
        status, kind, text = found(self.path, self.headers) if found else (404, "text/plain", "not found")
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if self.path == "/" or self.path.startswith("/computeMetadata/"):
            self.send_header("Metadata-Flavor", "Google")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_PUT = do_POST = do_GET


def table(name, address):
    with _lock:
        _names[name.lower()] = address
        if "dns" not in _state:
            try:
                _state["dns"] = _Udp(DNS, _Dns)
            except OSError as err:
                raise RuntimeError(f"cannot answer names on {DNS[0]}:{DNS[1]} ({err}): run it through `cargo xtask cases`")
            threading.Thread(target=_state["dns"].serve_forever, daemon=True).start()


def metadata(prefix, handler):
    with _lock:
        _meta[prefix] = handler
        if "meta" not in _state:
            try:
                _state["meta"] = _Http((META, 80), _Meta)
            except OSError as err:
                raise RuntimeError(f"cannot listen on {META}:80 ({err}): run it through `cargo xtask cases`")
            threading.Thread(target=_state["meta"].serve_forever, daemon=True).start()


def authority():
    if os.environ.get("REDIRECTED") != "1":  # else the operator would ask the real clouds
        raise RuntimeError("the clouds' names are not redirected: run it through `cargo xtask cases`")
    with _lock:
        if "dir" not in _state:
            d = _state["dir"] = tempfile.mkdtemp(prefix="clouds-")
            openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "3650", "-subj", "/CN=cases test CA", "-keyout",
                    d + "/ca.key", "-out", d + "/ca.pem", "-addext", "keyUsage=critical,keyCertSign,cRLSign")
        return _state["dir"], _state["dir"] + "/ca.pem"


def certificate(names):
    d, ca = authority()
    base = d + "/" + hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=cases", "-keyout", base + ".key", "-out", base + ".csr")
    with open(base + ".ext", "w") as f:
        f.write("subjectAltName=" + ",".join("DNS:" + n for n in names) + "\nextendedKeyUsage=serverAuth\n")
    openssl("x509", "-req", "-in", base + ".csr", "-CA", ca, "-CAkey", d + "/ca.key", "-CAcreateserial", "-days", "3000",
            "-extfile", base + ".ext", "-out", base + ".crt")
    return base + ".crt", base + ".key"


def serve(address, port, handler, cert=None, key=None):
    server = _Http((address, port), handler)
    if cert:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(cert, key)
        context.set_alpn_protocols(["http/1.1"])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def modulus(pem):
    """(n, e) of a PEM file that holds a RSA private key."""
    out = openssl("rsa", "-in", pem, "-noout", "-modulus").decode()
    return int(out.split("=")[1], 16), 65537


def api_get(api, path):
    """A document of the API server that it serves only under its own content type."""
    url = urllib.parse.urlsplit(api.server)
    c = http.client.HTTPSConnection(url.hostname, url.port, timeout=20, context=api.context)
    c.request("GET", path, headers={"Authorization": "Bearer " + (api.token or "")})
    return json.loads(c.getresponse().read())


def api_keys(api):
    keys = api_get(api, "/openid/v1/jwks")["keys"]
    return [(int.from_bytes(unb64(k["n"]), "big"), int.from_bytes(unb64(k["e"]), "big")) for k in keys if k["kty"] == "RSA"]


def claims(token, keys):
    try:
        head, body, sign = token.split(".")
        signature, signed = int.from_bytes(unb64(sign), "big"), f"{head}.{body}".encode()
        if json.loads(unb64(head))["alg"] != "RS256":
            return None
        digest = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(signed).digest()
        for n, e in keys:
            size = (n.bit_length() + 7) // 8
            want = b"\0\1" + b"\xff" * (size - 3 - len(digest)) + b"\0" + digest
            if pow(signature, e, n).to_bytes(size, "big") == want:
                return json.loads(unb64(body))
    except (ValueError, KeyError, TypeError):
        pass
    return None


def close():
    """Ends what is shared; the last backend that stops calls it, the others find nothing left."""
    with _lock:
        for name in ("dns", "meta"):
            server = _state.pop(name, None)
            if server:
                server.shutdown()
                server.server_close()
        shutil.rmtree(_state.pop("dir", "") or "/nonexistent", ignore_errors=True)
        _names.clear()
        _meta.clear()
