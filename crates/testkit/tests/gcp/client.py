"""Does with Google's own client what the provider does with its own; run by `main.rs` beside it.

URL is the server, KEY a file with a service account key that it knows.
"""
import json
import os
import tempfile
import time

from google.api_core import exceptions
from google.auth import compute_engine, crypt, identity_pool, jwt
from google.auth.transport.requests import Request
from google.cloud import secretmanager_v1 as sm
from google.cloud.secretmanager_v1.services.secret_manager_service.transports import SecretManagerServiceRestTransport
from google.oauth2 import service_account

URL, KEY = os.environ["URL"], os.environ["KEY"]
SCOPES = ["https://www.googleapis.com/auth/cloud-platform"]


def client(credentials):
    transport = SecretManagerServiceRestTransport(host=URL.removeprefix("http://"), credentials=credentials, url_scheme="http")
    return sm.SecretManagerServiceClient(transport=transport)


def refused(kind, call, **request):
    try:
        call(request=request)
    except kind as error:
        return str(error)
    raise AssertionError(f"{call} was not refused with {kind}")


def secrets(c):
    parent, name = "projects/p", "projects/p/secrets/one"
    made = c.create_secret(request={"parent": parent, "secret_id": "one", "secret": {
        "replication": {"automatic": {}}, "labels": {"env": "dev"}, "annotations": {"n": "1"}}})
    assert made.name.endswith("/secrets/one") and made.etag and made.create_time, made
    refused(exceptions.Conflict, c.create_secret, parent=parent, secret_id="one", secret={"replication": {"automatic": {}}})
    refused(exceptions.BadRequest, c.create_secret, parent=parent, secret_id="a/b", secret={"replication": {"automatic": {}}})
    refused(exceptions.BadRequest, c.create_secret, parent=parent, secret_id="two", secret={})
    text = refused(exceptions.NotFound, c.access_secret_version, name=name + "/versions/latest")
    assert "not found or has no versions" in text, text
    refused(exceptions.NotFound, c.get_secret, name="projects/p/secrets/none")

    added = c.add_secret_version(request={"parent": name, "payload": {"data": b"hello", "data_crc32c": 0x9A71BB4C}})
    assert added.state.name == "ENABLED" and added.client_specified_payload_checksum, added
    refused(exceptions.BadRequest, c.add_secret_version, parent=name, payload={"data": b"hello", "data_crc32c": 1})
    refused(exceptions.BadRequest, c.add_secret_version, parent=name, payload={"data": b""})
    c.add_secret_version(request={"parent": name, "payload": {"data": b"\x00\xff"}})
    assert c.access_secret_version(request={"name": name + "/versions/latest"}).payload.data == b"\x00\xff"
    first = c.access_secret_version(request={"name": name + "/versions/1"})
    assert first.payload.data == b"hello" and first.payload.data_crc32c == 0x9A71BB4C, first


def states(c):
    name = "projects/p/secrets/one"
    latest = name + "/versions/2"
    c.disable_secret_version(request={"name": latest})
    text = refused(exceptions.BadRequest, c.access_secret_version, name=name + "/versions/latest")
    assert "is in DISABLED state" in text, text
    assert c.get_secret_version(request={"name": name + "/versions/latest"}).state.name == "DISABLED"
    enabled = list(c.list_secret_versions(request={"parent": name, "filter": "state:ENABLED"}))
    assert [v.name.rsplit("/", 1)[1] for v in enabled] == ["1"], enabled
    c.enable_secret_version(request={"name": latest})
    secret = c.get_secret(request={"name": name})
    c.update_secret(request={"secret": {"name": name, "etag": secret.etag, "version_destroy_ttl": {"seconds": 86400}}, "update_mask": "versionDestroyTtl"})
    doomed = c.destroy_secret_version(request={"name": latest})
    assert doomed.state.name == "DISABLED" and doomed.scheduled_destroy_time, doomed
    c.enable_secret_version(request={"name": latest})
    c.update_secret(request={"secret": {"name": name}, "update_mask": "versionDestroyTtl"})
    assert c.destroy_secret_version(request={"name": latest}).state.name == "DESTROYED"
    assert "is in DESTROYED state" in refused(exceptions.BadRequest, c.access_secret_version, name=latest)


def labels(c):
    name = "projects/p/secrets/one"
    secret = c.get_secret(request={"name": name})
    changed = c.update_secret(request={"secret": {"name": name, "etag": secret.etag, "labels": {"a": "b"}}, "update_mask": "labels,annotations"})
    assert dict(changed.labels) == {"a": "b"} and not changed.annotations, changed
    refused(exceptions.BadRequest, c.update_secret, secret={"name": name, "etag": secret.etag, "labels": {}}, update_mask="labels")
    refused(exceptions.BadRequest, c.delete_secret, name=name, etag=secret.etag)


def lists(c):
    for number in range(7):
        c.create_secret(request={"parent": "projects/q", "secret_id": f"s-{number}", "secret": {
            "replication": {"user_managed": {"replicas": [{"location": "europe-west1"}]}}, "labels": {"odd": str(number % 2)}}})
    found = lambda text: [s.name.rsplit("/", 1)[1] for s in c.list_secrets(request={"parent": "projects/q", "filter": text})]
    assert len(found("")) == 7, "pages"
    assert found("labels.odd=1") == ["s-1", "s-3", "s-5"]
    assert found("labels.odd=1 name:s-3") == ["s-3"]
    refused(exceptions.BadRequest, c.list_secrets, parent="projects/q", filter="nonsense")


def regional(c):
    place = "projects/p/locations/europe-west3"
    c.create_secret(request={"parent": place, "secret_id": "r", "secret": {}})
    refused(exceptions.BadRequest, c.create_secret, parent=place, secret_id="x", secret={"replication": {"automatic": {}}})
    c.add_secret_version(request={"parent": place + "/secrets/r", "payload": {"data": b"regional"}})
    got = c.access_secret_version(request={"name": place + "/secrets/r/versions/latest"})
    assert got.payload.data == b"regional"
    assert [s.name.rsplit("/", 1)[1] for s in c.list_secrets(request={"parent": place})] == ["r"]
    c.delete_secret(request={"name": place + "/secrets/r"})
    refused(exceptions.NotFound, c.get_secret, name=place + "/secrets/r")


def tokens(key):
    """The other ways to get a token, by the vendor's own libraries; each must read a secret."""
    signer = crypt.RSASigner.from_service_account_info(key)
    claims = {"sub": "somebody", "aud": ["any"], "exp": int(time.time()) + 600}
    with tempfile.NamedTemporaryFile("wb", suffix=".jwt") as file:
        file.write(jwt.encode(signer, claims))
        file.flush()
        account = "/v1/projects/-/serviceAccounts/robot@p.iam.gserviceaccount.com:generateAccessToken"
        for more in ({}, {"service_account_impersonation_url": URL + account}):
            external = identity_pool.Credentials.from_info({
                "type": "external_account", "audience": "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q",
                "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": URL + "/v1/token",
                "credential_source": {"file": file.name}, **more}, scopes=SCOPES)
            external.refresh(Request())
            assert client(external).get_secret(request={"name": "projects/p/secrets/one"}).name
    machine = compute_engine.Credentials()
    machine.refresh(Request())
    assert client(machine).get_secret(request={"name": "projects/p/secrets/one"}).name


def main():
    with open(KEY) as file:
        key = json.load(file)
    own = service_account.Credentials.from_service_account_info(key, scopes=SCOPES)
    c = client(own)
    secrets(c)
    states(c)
    labels(c)
    lists(c)
    regional(c)
    tokens(key)
    other = service_account.Credentials.from_service_account_info({**key, "client_email": "nobody@p"}, scopes=SCOPES)
    try:
        other.refresh(Request())
        raise AssertionError("an unknown account got a token")
    except Exception as error:
        assert "account not found" in str(error), error
    c.delete_secret(request={"name": "projects/p/secrets/one"})
    print("all done")


main()
