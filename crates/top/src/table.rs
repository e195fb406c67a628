//! The same rows as a table on standard output, for logs and tickets.

use jiff::Timestamp;
use lockstep_local::table::Table;
use lockstep_toolbox::output::Paint;

use crate::draw::{since, until};
use crate::model::{Health, Model, Row};
use crate::view::{Tab, View};

/// Stores, objects and a line that sums up, the worst first.
pub(crate) fn text(model: &Model, paint: Paint, now: Timestamp) -> String {
    let mut view = View::new(model.clone());
    view.tab = Tab::Stores;
    let mut stores = Table::new(&[
        "STORE",
        "NAMESPACE",
        "NAME",
        "PROVIDER",
        "USERS",
        "READS/H",
        "MESSAGE",
    ]);
    for row in view.rows() {
        stores.row([
            row.health.word().to_owned(),
            row.namespace.clone(),
            row.name.clone(),
            row.through.clone(),
            row.users.to_string(),
            format!("{:.1}", row.reads_per_hour),
            row.told().to_owned(),
        ]);
    }
    view.tab = Tab::Objects;
    let mut objects = Table::new(&[
        "OBJECT",
        "NAMESPACE",
        "NAME",
        "STORE",
        "LAST",
        "NEXT",
        "READS/H",
        "MESSAGE",
    ]);
    for row in view.rows() {
        objects.row(cells(row, now));
    }
    format!(
        "{}\n{}\n{}\n",
        stores.print(),
        objects.print(),
        summary(model, paint)
    )
}

fn cells(row: &Row, now: Timestamp) -> [String; 8] {
    [
        row.health.word().to_owned(),
        row.namespace.clone(),
        row.name.clone(),
        row.through.clone(),
        since(row.last, now),
        until(row.due, now),
        format!("{:.1}", row.reads_per_hour),
        row.told().to_owned(),
    ]
}

fn summary(model: &Model, paint: Paint) -> String {
    let counts = [
        Health::Failing,
        Health::Throttled,
        Health::Stale,
        Health::Waiting,
        Health::Ready,
    ];
    let counts = counts.map(|health| {
        let text = format!("{} {}", model.count(health), health.word());
        match (model.count(health), health) {
            (0, _) => paint.dim(text),
            (_, Health::Failing) => paint.bad(text),
            (_, Health::Ready) => paint.good(text),
            _ => paint.warn(text),
        }
    });
    counts.join(", ")
}
