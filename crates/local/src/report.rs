//! The result for people: the tables kubectl shows, the Secrets with their keys and sizes, and what
//! failed with the reason and the remedy. Values appear only where they were asked for.

use jiff::Timestamp;
use k8s_openapi::ByteString;
use k8s_openapi::api::core::v1::Secret;
use lockstep_golang::base64::{self, Encoding};

use super::manifests::{Manifests, Skipped};
use super::out::{Out, Written};
use super::table::{Table, age};
use super::view::{Health, ObjectLine, StoreLine, View};

/// The tables of everything that was looked at, each under the name of its kind.
pub(crate) fn tables(view: &View, now: Timestamp) -> String {
    let (cluster, namespaced) = stores(view, now);
    let tables = [
        ("SecretStores", namespaced),
        ("ClusterSecretStores", cluster),
        ("ExternalSecrets", objects(view, now)),
        ("Secrets", secrets(view)),
    ];
    let tables = tables.into_iter().filter(|(_, table)| !table.is_empty());
    let texts = tables.map(|(kind, table)| format!("{kind}\n{}", table.print()));
    texts.collect::<Vec<_>>().join("\n")
}

/// Cluster-wide stores, then those of namespaces.
fn stores(view: &View, now: Timestamp) -> (Table, Table) {
    let columns = [
        "NAMESPACE",
        "NAME",
        "AGE",
        "STATUS",
        "CAPABILITIES",
        "READY",
    ];
    let mut cluster = Table::new(&columns[1..]);
    let mut namespaced = Table::new(&columns);
    for StoreLine {
        key,
        created,
        capabilities,
        health,
    } in &view.stores
    {
        let cells = [
            key.name.clone(),
            age(created.as_ref(), now),
            health.reason().to_owned(),
            capabilities.clone(),
            health.status().to_owned(),
        ];
        match &key.namespace {
            Some(namespace) => namespaced.row([namespace.clone()].into_iter().chain(cells)),
            None => cluster.row(cells),
        }
    }
    (cluster, namespaced)
}

fn objects(view: &View, now: Timestamp) -> Table {
    let mut table = Table::new(&[
        "NAMESPACE",
        "NAME",
        "STORETYPE",
        "STORE",
        "REFRESH INTERVAL",
        "STATUS",
        "READY",
        "LAST SYNC",
    ]);
    for object in &view.objects {
        let ObjectLine {
            name,
            store_kind,
            store,
            interval,
            last_sync,
            health,
            ..
        } = object;
        table.row([
            name.namespace.clone(),
            name.name.clone(),
            store_kind.clone(),
            store.clone(),
            interval.clone(),
            health.reason().to_owned(),
            health.status().to_owned(),
            age(last_sync.as_ref(), now),
        ]);
    }
    table
}

fn secrets(view: &View) -> Table {
    let mut table = Table::new(&["NAMESPACE", "NAME", "TYPE", "DATA", "KEYS"]);
    for (name, secret) in &view.secrets {
        table.row([
            name.namespace.clone(),
            name.name.clone(),
            secret.type_.clone().unwrap_or_default(),
            secret.data.iter().flatten().count().to_string(),
            keys(secret),
        ]);
    }
    table
}

/// Keys of a Secret with the sizes of their values.
pub(crate) fn keys(secret: &Secret) -> String {
    let sizes = secret.data.iter().flatten();
    let sizes = sizes.map(|(key, value)| format!("{key} ({} B)", value.0.len()));
    sizes.collect::<Vec<_>>().join(", ")
}

/// Every value, for those who asked to see them.
pub(crate) fn values(view: &View) -> String {
    let secrets = view.secrets.iter();
    let lines = secrets.flat_map(|(name, secret)| {
        let data = secret.data.iter().flatten();
        data.map(move |(key, value)| format!("{name} {key}: {}\n", printable(value)))
    });
    lines.collect()
}

fn printable(value: &ByteString) -> String {
    let is_text = |text: &&str| {
        !text
            .chars()
            .any(|c| c.is_control() && c != '\n' && c != '\t')
    };
    match std::str::from_utf8(&value.0).ok().filter(is_text) {
        Some(text) if text.contains('\n') => {
            format!("|\n  {}", text.trim_end().replace('\n', "\n  "))
        }
        Some(text) => text.to_owned(),
        None => format!("base64:{}", base64::encode(Encoding::Standard, &value.0)),
    }
}

/// Everything that is not as it should be; empty when all is well.
pub(crate) fn failures(view: &View, manifests: &Manifests, written: Option<&Written>) -> String {
    let mut table = Table::new(&["FAILED", "WHY"]);
    for problem in &manifests.problems {
        table.row(["manifest".to_owned(), problem.to_string()]);
    }
    for store in view.stores.iter().filter(|store| store.health.is_failed()) {
        failure(&mut table, store.label(), &store.health);
    }
    for object in view
        .objects
        .iter()
        .filter(|object| object.health.is_failed())
    {
        failure(
            &mut table,
            format!("ExternalSecret {}", object.name),
            &object.health,
        );
    }
    for (name, text) in written.iter().flat_map(|written| &written.failures) {
        table.row([format!("Secret {name}"), text.clone()]);
    }
    if table.is_empty() {
        String::new()
    } else {
        table.print()
    }
}

fn failure(table: &mut Table, object: String, health: &Health) {
    for (position, line) in health.message().lines().enumerate() {
        let object = if position == 0 {
            object.clone()
        } else {
            String::new()
        };
        table.row([object, line.to_owned()]);
    }
    if let Some(hint) = &health.hint {
        table.row([String::new(), format!("hint: {hint}")]);
    }
}

/// What was left aside: documents of other kinds, and objects of other controllers.
pub(crate) fn asides(view: &View, manifests: &Manifests, verbose: bool) -> String {
    let foreign = view
        .objects
        .iter()
        .filter(|object| object.health.is_foreign);
    let mut lines: Vec<String> = foreign
        .map(|object| {
            let name = &object.name;
            format!(
                "left alone: ExternalSecret {name} uses a store of another controller class; name \
                 it with --controller-class\n"
            )
        })
        .collect();
    let skipped = &manifests.skipped;
    if verbose {
        lines.extend(skipped.iter().map(|Skipped { origin, kind }| {
            let kind = if kind.is_empty() { "no kind" } else { kind };
            format!("skipped: {origin}: {kind}\n")
        }));
    } else {
        // YAML of other tools has no kind, or one that only kustomize knows: nobody misses it.
        let objects = skipped
            .iter()
            .filter(|skipped| !matches!(&*skipped.kind, "" | "Kustomization"));
        lines.extend(match objects.count() {
            0 => None,
            1 => Some("skipped 1 object that local mode does not use; -v shows it\n".to_owned()),
            count => Some(format!(
                "skipped {count} objects that local mode does not use; -v lists them\n"
            )),
        });
    }
    lines.concat()
}

/// Where Secrets were written.
pub(crate) fn files(out: &Out, written: &Written) -> String {
    let folder = out.folder().display();
    let held = written.files.iter().map(|path| {
        let done = if written.changed.contains(path) {
            "wrote"
        } else {
            "unchanged"
        };
        format!("{done} {folder}/{path}\n")
    });
    let removed = written
        .removed
        .iter()
        .map(|path| format!("removed {folder}/{path}\n"));
    held.chain(removed).collect()
}
