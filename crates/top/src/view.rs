//! The state of the view and how events change it. Pure: an event goes in, an effect comes out; drawing and
//! requests are elsewhere.

mod choice;

use crate::model::{Model, Row};
use crate::watches::Connection;
pub(crate) use choice::{Filter, Order, Tab};

/// A key, as far as the view knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Up,
    Down,
    Enter,
    Escape,
    Tab,
    Backspace,
    Char(char),
}

/// Something that happened.
pub(crate) enum Event {
    Key(Key),
    /// There are new rows.
    Loaded(Model),
    /// The connection was lost, or is back.
    Connection(Connection),
    /// An object was explained; the text has no colours.
    Explained(String),
    /// Something worth a line.
    Notice(String),
}

/// What is to be done outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    Quit,
    /// List everything again.
    Relist,
    Explain(Named),
    Sync(Named),
}

/// An object by its names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) kind: &'static str,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// The state of the view.
#[derive(Default)]
pub(crate) struct View {
    pub(crate) model: Model,
    pub(crate) tab: Tab,
    pub(crate) filter: Filter,
    pub(crate) order: Order,
    pub(crate) search: String,
    pub(crate) typing: bool,
    pub(crate) selected: usize,
    /// Text in front of the table, and how far it is scrolled.
    pub(crate) explained: Option<(String, u16)>,
    pub(crate) notice: String,
    /// Why the connection is lost, while it is.
    pub(crate) lost: Option<String>,
}

impl View {
    pub(crate) fn new(model: Model) -> Self {
        Self {
            model,
            ..Self::default()
        }
    }

    /// The rows that are shown, in order.
    pub(crate) fn rows(&self) -> Vec<&Row> {
        let all = match self.tab {
            Tab::Objects => &self.model.objects,
            Tab::Stores => &self.model.stores,
        };
        let shown = |row: &&Row| self.filter.shows(row) && self.is_found(row);
        let mut rows: Vec<&Row> = all.iter().filter(shown).collect();
        let name = |row: &Row| (row.namespace.clone(), row.name.clone());
        match self.order {
            Order::Trouble => rows.sort_by_key(|row| (row.health, name(row))),
            Order::Cost => {
                rows.sort_by(|one, other| other.reads_per_hour.total_cmp(&one.reads_per_hour));
            }
            Order::Due => rows.sort_by_key(|row| (row.due.is_none(), row.due, name(row))),
            Order::Name => rows.sort_by_key(|row| name(row)),
        }
        rows
    }

    fn is_found(&self, row: &Row) -> bool {
        let text = format!(
            "{}/{} {} {}",
            row.namespace, row.name, row.through, row.message
        );
        text.to_lowercase().contains(&self.search.to_lowercase())
    }

    /// Takes an event and says what is to be done.
    pub(crate) fn update(&mut self, event: Event) -> Effect {
        match event {
            Event::Loaded(model) => {
                let chosen = self.chosen();
                self.model = model;
                self.follow(chosen);
            }
            Event::Connection(Connection::Lost(reason)) => self.lost = Some(reason),
            Event::Connection(Connection::Back) => {
                self.lost = None;
                "connected again".clone_into(&mut self.notice);
            }
            Event::Explained(text) => self.explained = Some((text, 0)),
            Event::Notice(text) => self.notice = text,
            Event::Key(key) if self.explained.is_some() => return self.read_on(key),
            Event::Key(key) if self.typing => self.type_in(key),
            Event::Key(key) => return self.press(key),
        }
        self.selected = self.selected.min(self.rows().len().saturating_sub(1));
        Effect::None
    }

    /// Keeps the same object selected when rows change places.
    fn follow(&mut self, chosen: Option<Named>) {
        let at = chosen.and_then(|chosen| {
            let rows = self.rows();
            rows.iter().position(|row| named(row) == chosen)
        });
        self.selected = at.unwrap_or(self.selected);
    }

    fn chosen(&self) -> Option<Named> {
        self.rows().get(self.selected).map(|row| named(row))
    }

    fn press(&mut self, key: Key) -> Effect {
        self.notice.clear();
        match key {
            Key::Char('q') => return Effect::Quit,
            Key::Char('r') => {
                "everything is read again".clone_into(&mut self.notice);
                return Effect::Relist;
            }
            Key::Up | Key::Char('k') => self.selected = self.selected.saturating_sub(1),
            Key::Down | Key::Char('j') => {
                let last = self.rows().len().saturating_sub(1);
                self.selected = (self.selected + 1).min(last);
            }
            Key::Tab => {
                self.tab = match self.tab {
                    Tab::Objects => Tab::Stores,
                    Tab::Stores => Tab::Objects,
                };
                self.selected = 0;
            }
            Key::Char('f') => {
                self.filter = self.filter.next();
                self.selected = 0;
            }
            Key::Char('o') => self.order = self.order.next(),
            Key::Char('/') => self.typing = true,
            Key::Escape => self.search.clear(),
            Key::Enter => return self.chosen().map_or(Effect::None, Effect::Explain),
            Key::Char('s') => return self.sync(),
            Key::Backspace | Key::Char(_) => {}
        }
        Effect::None
    }

    fn sync(&mut self) -> Effect {
        match (self.tab, self.chosen()) {
            (Tab::Objects, Some(chosen)) => Effect::Sync(chosen),
            (Tab::Stores, Some(_)) => {
                "stores are checked by themselves; select an object to sync it"
                    .clone_into(&mut self.notice);
                Effect::None
            }
            (_, None) => Effect::None,
        }
    }

    fn type_in(&mut self, key: Key) {
        match key {
            Key::Char(letter) => self.search.push(letter),
            Key::Backspace => {
                self.search.pop();
            }
            Key::Escape => {
                self.search.clear();
                self.typing = false;
            }
            Key::Enter => self.typing = false,
            Key::Up | Key::Down | Key::Tab => {}
        }
    }

    fn read_on(&mut self, key: Key) -> Effect {
        let Some((text, top)) = &mut self.explained else {
            return Effect::None;
        };
        let last = u16::try_from(text.lines().count()).unwrap_or(u16::MAX);
        match key {
            Key::Down | Key::Char('j') => *top = top.saturating_add(1).min(last.saturating_sub(1)),
            Key::Up | Key::Char('k') => *top = top.saturating_sub(1),
            Key::Char('s') => return self.sync(),
            _ => self.explained = None,
        }
        Effect::None
    }

    /// Reads an hour of all objects.
    pub(crate) fn cost(&self) -> f64 {
        self.model
            .objects
            .iter()
            .map(|row| row.reads_per_hour)
            .sum()
    }
}

fn named(row: &Row) -> Named {
    Named {
        kind: row.kind,
        namespace: row.namespace.clone(),
        name: row.name.clone(),
    }
}

/// The row with the highest cost, for the summary.
pub(crate) fn costliest(rows: &[Row]) -> Option<&Row> {
    let paid = rows.iter().filter(|row| row.reads_per_hour > 0.0);
    paid.max_by(|one, other| one.reads_per_hour.total_cmp(&other.reads_per_hour))
}

#[cfg(test)]
mod tests;
