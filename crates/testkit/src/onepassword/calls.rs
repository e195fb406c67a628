//! What each request does, in the paths and answers of the Connect API.

use serde_json::{Value, json};

use super::State;
use crate::stub::{Answer, Request};

/// Members of an item that a list leaves out.
const DETAILS: [&str; 3] = ["fields", "sections", "files"];

impl State {
    /// An id as 1Password makes them: 26 small letters and digits.
    pub(super) fn new_id(&mut self, kind: char) -> String {
        self.given += 1;
        format!("{kind}{:025}", self.given)
    }

    /// Puts an item into a vault as the server completes it.
    pub(super) fn add(&mut self, vault: &str, mut item: Value) -> String {
        let id = self.new_id('i');
        item["id"] = id.clone().into();
        item["version"] = 1.into();
        self.complete(vault, &mut item);
        self.items.insert(id.clone(), item);
        id
    }

    pub(super) fn route(&mut self, request: &Request) -> Answer {
        let (path, query) = request.path.split_once('?').unwrap_or((&request.path, ""));
        let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
        let body = || serde_json::from_slice(&request.body).unwrap_or(Value::Null);
        match (request.method.as_str(), segments.as_slice()) {
            ("GET", ["v1", "vaults"]) => self.vaults(query),
            ("GET", ["v1", "vaults", vault]) => self.vault(vault),
            ("GET", ["v1", "vaults", vault, "items"]) => self.list(vault, query),
            ("POST", ["v1", "vaults", vault, "items"]) => self.create(vault, body()),
            (method, ["v1", "vaults", vault, "items", item, rest @ ..]) => {
                let found = self.items.get(*item);
                let Some(found) = found.filter(|found| found["vault"]["id"] == *vault) else {
                    return refusal(404, &format!("item {item} not found"));
                };
                match (method, rest) {
                    ("GET", []) => Answer::json(200, found),
                    ("GET", ["files"]) => Answer::json(200, &files(found)),
                    ("GET", ["files", file]) => one_file(found, file),
                    ("GET", ["files", file, "content"]) => self.content(file),
                    ("PUT", []) => self.update(vault, item, body()),
                    ("DELETE", []) => {
                        self.items.remove(*item);
                        Answer::text(204, "")
                    }
                    _ => refusal(404, "Page not found"),
                }
            }
            _ => refusal(404, "Page not found"),
        }
    }

    fn vaults(&self, query: &str) -> Answer {
        let shown = |(id, name): (&String, &String)| json!({ "id": id, "name": name });
        let vaults = self.vaults.iter();
        match filter(query) {
            Err(refused) => refused,
            Ok(None) => Answer::json(200, &vaults.map(shown).collect()),
            Ok(Some(wanted)) => {
                let named = vaults.filter(|(_, name)| **name == wanted);
                Answer::json(200, &named.map(shown).collect())
            }
        }
    }

    fn vault(&self, id: &str) -> Answer {
        match self.vaults.get(id) {
            Some(name) => Answer::json(200, &json!({ "id": id, "name": name })),
            None => refusal(404, &format!("vault {id} not found")),
        }
    }

    fn list(&mut self, vault: &str, query: &str) -> Answer {
        if !self.vaults.contains_key(vault) {
            return refusal(404, &format!("vault {vault} not found"));
        }
        let title = match filter(query) {
            Err(refused) => return refused,
            Ok(title) => title,
        };
        let mut listed = Vec::new();
        for (id, item) in &self.items {
            let is_meant = title.as_ref().is_none_or(|title| item["title"] == **title);
            if item["vault"]["id"] != *vault || !is_meant {
                continue;
            }
            if let Some(left) = self.hidden.get_mut(id).filter(|left| **left > 0) {
                *left -= 1;
                continue;
            }
            let mut shown = item.clone();
            if let Some(members) = shown.as_object_mut() {
                members.retain(|name, _| !DETAILS.contains(&name.as_str()));
            }
            listed.push(shown);
        }
        Answer::json(200, &listed.into())
    }

    fn create(&mut self, vault: &str, item: Value) -> Answer {
        if !self.vaults.contains_key(vault) {
            return refusal(404, &format!("vault {vault} not found"));
        }
        if !item["category"].is_string() {
            return refusal(400, "Invalid item: category is missing");
        }
        let id = self.add(vault, item);
        self.hidden.insert(id.clone(), self.delay);
        Answer::json(200, &self.items[&id])
    }

    fn update(&mut self, vault: &str, id: &str, mut item: Value) -> Answer {
        if item["id"] != *id || item["vault"]["id"] != *vault {
            return refusal(400, "The item id or vault id does not match the path");
        }
        let version = self.items[id]["version"].as_u64().unwrap_or_default();
        item["version"] = (version + 1).into();
        self.complete(vault, &mut item);
        self.items.insert(id.to_owned(), item.clone());
        Answer::json(200, &item)
    }

    fn complete(&mut self, vault: &str, item: &mut Value) {
        item["vault"] = json!({ "id": vault });
        for field in item["fields"].as_array_mut().into_iter().flatten() {
            if field["id"].as_str().is_none_or(str::is_empty) {
                field["id"] = self.new_id('d').into();
            }
        }
    }

    fn content(&self, file: &str) -> Answer {
        match self.contents.get(file) {
            None => refusal(404, &format!("file {file} not found")),
            Some(content) => Answer {
                status: 200,
                content_type: "application/octet-stream".to_owned(),
                headers: Vec::new(),
                body: content.clone(),
            },
        }
    }
}

/// A refusal as the server words it.
pub(super) fn refusal(status: u16, message: &str) -> Answer {
    Answer::json(status, &json!({ "status": status, "message": message }))
}

fn files(item: &Value) -> Value {
    match &item["files"] {
        Value::Null => json!([]),
        files => files.clone(),
    }
}

fn one_file(item: &Value, id: &str) -> Answer {
    let files = item["files"].as_array().into_iter().flatten();
    match files.into_iter().find(|file| file["id"] == *id) {
        Some(file) => Answer::json(200, file),
        None => refusal(404, &format!("file {id} not found")),
    }
}

/// The text of `filter=title eq "x"`. The attribute is `title` or, for vaults, `name`.
fn filter(query: &str) -> Result<Option<String>, Answer> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let mut filters = pairs.filter(|(name, _)| *name == "filter");
    let Some((_, encoded)) = filters.next() else {
        return Ok(None);
    };
    let text = decoded(encoded);
    let quoted = ["title eq ", "name eq "]
        .iter()
        .find_map(|attribute| text.strip_prefix(attribute));
    // What stands between the quotes is escaped as in JSON.
    let value = quoted.and_then(|quoted| serde_json::from_str::<String>(quoted).ok());
    value
        .map(Some)
        .ok_or_else(|| refusal(400, "Invalid filter query"))
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits: Vec<u8> = rest.by_ref().take(2).collect();
                let digits = String::from_utf8_lossy(&digits).into_owned();
                bytes.extend(u8::from_str_radix(&digits, 16));
            }
            byte => bytes.push(byte),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
