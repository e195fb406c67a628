//! A 1Password Connect server in a test: vaults, items with filters, and files, in memory and behind a
//! token. Every request is noted; items can be made to appear late. How it answers is held against the
//! vendor's own client in `tests/onepassword`.

mod calls;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};

use crate::stub::{Answer, Request, Stub};

/// The token that the server takes.
pub const TOKEN: &str = "connect-token";

/// A running server.
pub struct Connect {
    stub: Stub,
    state: Arc<Mutex<State>>,
}

pub(crate) struct State {
    /// Names of vaults by their ids.
    vaults: BTreeMap<String, String>,
    /// Items by their ids, whole.
    items: BTreeMap<String, Value>,
    /// Contents of files by their ids.
    contents: BTreeMap<String, Vec<u8>>,
    /// What the server says of its own version.
    version: String,
    /// Lists in which a new item does not appear yet, by its id.
    hidden: BTreeMap<String, usize>,
    /// Lists in which the next new items do not appear.
    delay: usize,
    /// Ids given so far.
    given: u64,
    seen: Vec<String>,
}

impl Connect {
    /// Starts a server without vaults.
    pub fn start() -> Result<Self> {
        let state = Arc::new(Mutex::new(State {
            vaults: BTreeMap::new(),
            items: BTreeMap::new(),
            contents: BTreeMap::new(),
            version: "1.7.2".to_owned(),
            hidden: BTreeMap::new(),
            delay: 0,
            given: 0,
            seen: Vec::new(),
        }));
        let shared = Arc::clone(&state);
        let stub = Stub::start(move |request| answer(&mut shared.lock(), &request))?;
        Ok(Self { stub, state })
    }

    /// `http://127.0.0.1:PORT`
    pub fn url(&self) -> String {
        self.stub.url()
    }

    /// Makes a vault; returns its id.
    pub fn vault(&self, name: &str) -> String {
        let mut state = self.state();
        let id = state.new_id('v');
        state.vaults.insert(id.clone(), name.to_owned());
        id
    }

    /// Takes a vault away, its items left where they are.
    pub fn remove_vault(&self, id: &str) {
        self.state().vaults.remove(id);
    }

    /// Puts an item into a vault; returns its id.
    pub fn item(
        &self,
        vault: &str,
        title: &str,
        category: &str,
        fields: &[(&str, &str)],
    ) -> String {
        let fields: Vec<_> = fields
            .iter()
            .map(|(label, value)| json!({ "label": label, "value": value, "type": "CONCEALED" }))
            .collect();
        let item = json!({ "title": title, "category": category, "fields": fields });
        self.state().add(vault, item)
    }

    /// Puts tags on an item.
    pub fn tag(&self, item: &str, tags: &[&str]) {
        if let Some(item) = self.state().items.get_mut(item) {
            item["tags"] = json!(tags);
        }
    }

    /// Adds a file to an item; returns the file's id.
    pub fn file(&self, item: &str, name: &str, content: &[u8]) -> String {
        let mut state = self.state();
        let id = state.new_id('f');
        if let Some(found) = state.items.get_mut(item) {
            let vault = found["vault"]["id"].as_str().unwrap_or_default();
            let path = format!("/v1/vaults/{vault}/items/{item}/files/{id}/content");
            let file =
                json!({ "id": id, "name": name, "size": content.len(), "content_path": path });
            match found["files"].as_array_mut() {
                Some(files) => files.push(file),
                None => found["files"] = json!([file]),
            }
        }
        state.contents.insert(id.clone(), content.to_vec());
        id
    }

    /// An item as it is stored, by its title.
    pub fn stored(&self, title: &str) -> Option<Value> {
        let state = self.state();
        let mut items = state.items.values();
        items.find(|item| item["title"] == title).cloned()
    }

    /// Says that the server is of another version.
    pub fn set_version(&self, version: &str) {
        version.clone_into(&mut self.state().version);
    }

    /// New items appear only after this many lists.
    pub fn delay(&self, lists: usize) {
        self.state().delay = lists;
    }

    /// `METHOD path` of the requests so far.
    pub fn seen(&self) -> Vec<String> {
        self.state().seen.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }
}

fn answer(state: &mut State, request: &Request) -> Answer {
    state
        .seen
        .push(format!("{} {}", request.method, request.path));
    let expected = format!("Bearer {TOKEN}");
    if request.header("authorization") != Some(expected.as_str()) {
        return calls::refusal(401, "Invalid bearer token");
    }
    let mut answer = state.route(request);
    let version = state.version.clone();
    answer.headers.push(("1Password-Connect-Version", version));
    answer
}
