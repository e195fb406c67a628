"""Performs with the vendor's client what the provider does: vaults by name and id, items by title and id, lists, files, and writes."""
import os

from onepasswordconnectsdk.client import Client
from onepasswordconnectsdk.errors import FailedToRetrieveItemException, FailedToRetrieveVaultException
from onepasswordconnectsdk.models import Field, Item, ItemVault

URL, TOKEN, VAULT = os.environ["URL"], os.environ["TOKEN"], os.environ["VAULT"]
client = Client(URL, TOKEN)


def refused(kind, call, text):
    try:
        call()
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"not refused: {text}")


# Vaults: by name, by id, all, none, two of one name, a token that is not known.
assert client.get_vault_by_title("team").id == VAULT
assert client.get_vault(VAULT).name == "team"
assert len(client.get_vaults()) == 3
refused(FailedToRetrieveItemException, lambda: client.get_vault_by_title("nope"), "Found 0 vaults")
refused(FailedToRetrieveItemException, lambda: client.get_vault_by_title("twice"), "Found 2 vaults")
refused(FailedToRetrieveVaultException, lambda: client.get_vault("x" * 26), "404")
refused(FailedToRetrieveVaultException, Client(URL, "other").get_vaults, "Invalid bearer token")

# Items: by title, by id, two of one title, none; a list has no fields.
item = client.get_item("db", "team")
assert {field.label: field.value for field in item.fields} == {"username": "bob", "password": "pässwörd ✓"}
assert client.get_item(item.id, VAULT).title == "db"
assert item.vault.id == VAULT and item.category == "LOGIN"
refused(FailedToRetrieveItemException, lambda: client.get_item("same", VAULT), "Found 2 items")
refused(FailedToRetrieveItemException, lambda: client.get_item("nope", VAULT), "Found 0 items")
refused(FailedToRetrieveItemException, lambda: client.get_item_by_id("x" * 26, VAULT), "404")
listed = client.get_items(VAULT)
assert sorted(one.title for one in listed) == ["db", "doc", "same", "same"]
assert not any(hasattr(one, "fields") for one in listed)
assert [one.title for one in client.get_items(VAULT, 'title eq "doc"')] == ["doc"]

# Files: of an item, one of them, and their contents, by their path and without. The client's items leave out their files.
document = client.get_item("doc", VAULT)
first, second = client.get_files(document.id, VAULT)
assert [first.name, second.name] == ["a.bin", "b.txt"]
assert client.get_file(first.id, document.id, VAULT).size == 4
assert client.get_file_content(first.id, document.id, VAULT, first.content_path) == bytes([0, 255, 128, 16])
assert client.get_file_content(second.id, document.id, VAULT) == b"text"

# Writes: create, update, delete.
new = Item(title="p", category="SERVER", vault=ItemVault(id=VAULT), tags=["t1"],
           fields=[Field(label="password", type="CONCEALED", value="one")])
made = client.create_item(VAULT, new)
assert made.id and made.version == 1 and made.tags == ["t1"]
found = client.get_item("p", VAULT)
assert found.id == made.id and found.fields[0].value == "one"
found.fields[0].value = "two"
assert client.update_item(found.id, VAULT, found).version == 2
assert client.get_item("p", VAULT).fields[0].value == "two"
client.delete_item(found.id, VAULT)
refused(FailedToRetrieveItemException, lambda: client.get_item("p", VAULT), "Found 0 items")
print("all done")
