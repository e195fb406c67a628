"""The vendor's own clients against the test servers of Azure; any difference ends with a traceback."""
import os

from azure.core.exceptions import ClientAuthenticationError, HttpResponseError, ResourceExistsError, ResourceNotFoundError
from azure.identity import CertificateCredential, ClientSecretCredential, ManagedIdentityCredential
from azure.keyvault.certificates import CertificateClient
from azure.keyvault.keys import JsonWebKey, KeyClient
from azure.keyvault.secrets import SecretClient

VAULT, TENANT, CLIENT = os.environ["VAULT"], os.environ["TENANT"], os.environ["CLIENT"]
AUTHORITY = {"authority": VAULT, "disable_instance_discovery": True}
PLAIN = {"retry_total": 0, "verify_challenge_resource": False}


def fails(kind, call, *words):
    try:
        call()
    except kind as error:
        assert all(word in str(error) for word in words), f"{words} not in {error}"
        return error
    raise AssertionError(f"no {kind.__name__} with {words}")


# Signing in, with everything really checked.
good = ClientSecretCredential(TENANT, CLIENT, os.environ["SECRET"], **AUTHORITY)
secrets = SecretClient(VAULT, good, **PLAIN)
assert secrets.set_secret("first", "one").value == "one"
wrong = ClientSecretCredential(TENANT, CLIENT, "wrong", **AUTHORITY)
fails(ClientAuthenticationError, lambda: SecretClient(VAULT, wrong, **PLAIN).get_secret("first"), "AADSTS7000215")
stranger = ClientSecretCredential(TENANT, "nobody", "x", **AUTHORITY)
fails(ClientAuthenticationError, lambda: SecretClient(VAULT, stranger, **PLAIN).get_secret("first"), "AADSTS700016")
certificate = CertificateCredential(TENANT, CLIENT, certificate_path=os.environ["OWN"], **AUTHORITY)
assert SecretClient(VAULT, certificate, **PLAIN).get_secret("first").value == "one"
unknown = CertificateCredential(TENANT, CLIENT, certificate_path=os.environ["STRANGER"], **AUTHORITY)
fails(ClientAuthenticationError, lambda: SecretClient(VAULT, unknown, **PLAIN).get_secret("first"), "AADSTS700027")
os.environ["AZURE_POD_IDENTITY_AUTHORITY_HOST"] = os.environ["METADATA"]
machine = ManagedIdentityCredential()
assert SecretClient(VAULT, machine, **PLAIN).get_secret("first").value == "one"
del os.environ["AZURE_POD_IDENTITY_AUTHORITY_HOST"]
os.environ.update(IDENTITY_ENDPOINT=os.environ["METADATA"] + "/msi/token", IDENTITY_HEADER=os.environ["HEADER"])
assigned = ManagedIdentityCredential(client_id=CLIENT)
assert SecretClient(VAULT, assigned, **PLAIN).get_secret("first").value == "one"

# Secrets: versions, attributes, tags, pages.
first = secrets.get_secret("first")
second = secrets.set_secret("first", "two", content_type="text/x", tags={"a": "b"})
assert first.properties.version != second.properties.version
assert secrets.get_secret("first").value == "two" and secrets.get_secret("first").properties.content_type == "text/x"
assert secrets.get_secret("first", first.properties.version).value == "one"
assert len(list(secrets.list_properties_of_secret_versions("first"))) == 2
changed = secrets.update_secret_properties("first", enabled=False, tags={"c": "d"})
assert changed.tags == {"c": "d"} and changed.enabled is False
fails(HttpResponseError, lambda: secrets.get_secret("first"), "disabled")
fails(ResourceNotFoundError, lambda: secrets.get_secret("none"), "SecretNotFound")
fails(ResourceNotFoundError, lambda: secrets.get_secret("first", "f" * 32))
for number in range(60):
    secrets.set_secret(f"page-{number:02}", str(number))
listed = {item.name: item for item in secrets.list_properties_of_secrets()}
assert len(listed) == 61 and listed["first"].enabled is False and listed["page-59"].enabled is True

# Soft deletion, recovery, purge, and a name that is taken.
gone = secrets.begin_delete_secret("page-00").result()
assert gone.scheduled_purge_date and gone.recovery_id
fails(ResourceNotFoundError, lambda: secrets.get_secret("page-00"))
assert secrets.get_deleted_secret("page-00").name == "page-00"
taken = fails(ResourceExistsError, lambda: secrets.set_secret("page-00", "x"), "deleted but recoverable")
assert taken.status_code == 409
secrets.begin_recover_deleted_secret("page-00").wait()
assert secrets.get_secret("page-00").value == "0"
secrets.begin_delete_secret("page-01").wait()
secrets.purge_deleted_secret("page-01")
fails(ResourceNotFoundError, lambda: secrets.get_deleted_secret("page-01"))
assert secrets.set_secret("page-01", "new").value == "new"

# Keys: the private part stays inside.
keys = KeyClient(VAULT, good, **PLAIN)
number = bytes(range(1, 129))
imported = keys.import_key("k", JsonWebKey(kty="RSA", n=number, e=b"\1\0\1", d=number, key_ops=["sign"]), tags={"a": "b"})
assert imported.key.n == number and imported.key.d is None and imported.properties.tags == {"a": "b"}
read = keys.get_key("k")
assert read.key.e == b"\1\0\1" and read.key.key_ops == ["sign"] and read.id.endswith(read.properties.version)
fails(ResourceNotFoundError, lambda: keys.get_key("none"), "KeyNotFound")
keys.begin_delete_key("k").wait()
assert keys.get_deleted_key("k").name == "k"

# Certificates, with the secret behind them.
certificates = CertificateClient(VAULT, good, **PLAIN)
with open(os.environ["OWN"], "rb") as file:
    pem = file.read()
done = certificates.import_certificate("c", pem, tags={"a": "b"})
assert done.name == "c" and done.properties.tags == {"a": "b"}
found = certificates.get_certificate_version("c", done.properties.version)
assert found.cer == done.cer and len(found.cer) > 100
assert secrets.get_secret("c").value
fails(ResourceNotFoundError, lambda: certificates.get_certificate_version("none", ""), "CertificateNotFound")
certificates.begin_delete_certificate("c").wait()
fails(ResourceNotFoundError, lambda: certificates.get_certificate_version("c", ""))
print("all done")
