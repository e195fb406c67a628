//! Owns the terminal: puts it into its other screen, hands keys and answers to the view, carries effects out,
//! and puts the terminal back whatever happens.

use std::time::Duration;

use anyhow::Context;
use jiff::Timestamp;
use lockstep_toolbox::output::Paint;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::cluster::Source;
use crate::draw::draw;
use crate::model::Model;
use crate::seen::Seen;
use crate::view::{Effect, Event, Key, View};

/// Time between two looks at news.
const TICK: Duration = Duration::from_millis(200);
/// After so many looks rows are rebuilt without an event.
const REFRESH: u32 = 5;
/// How long one wait for a key lasts before the end is looked for.
const KEY_WAIT: Duration = Duration::from_millis(200);

/// Shows the view until the user leaves it.
pub(crate) async fn run(source: Source, seen: Seen, paint: Paint) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init().context("use the terminal")?;
    let ended = watch(&mut terminal, source, (seen, paint)).await;
    ratatui::restore();
    ended
}

async fn watch(
    terminal: &mut DefaultTerminal,
    source: Source,
    (mut seen, paint): (Seen, Paint),
) -> anyhow::Result<()> {
    let mut watches = source.watch();
    let mut view = View::new(Model::of(&seen, Timestamp::now()));
    let (sender, mut events) = mpsc::channel(64);
    let keys = sender.clone();
    std::thread::spawn(move || read_keys(&keys));
    let mut work = JoinSet::new();
    let mut tick = tokio::time::interval(TICK);
    let mut pace = Pace::default();
    loop {
        if pace.draws() {
            terminal.draw(|frame| draw(frame, &view, (Timestamp::now(), paint)))?;
        }
        let effect = tokio::select! {
            event = events.recv() => match event {
                Some(event) => view.update(event),
                None => Effect::Quit,
            },
            () = watches.gather(&mut seen) => {
                pace.note();
                continue;
            }
            _ = tick.tick() => {
                if let Some(change) = watches.connection() {
                    view.update(Event::Connection(change));
                    pace.note();
                }
                if !pace.tick() {
                    continue;
                }
                view.update(Event::Loaded(Model::of(&seen, Timestamp::now())))
            }
            Some(_) = work.join_next(), if !work.is_empty() => Effect::None,
        };
        pace.draw();
        if effect == Effect::Quit {
            return Ok(());
        }
        if effect == Effect::Relist {
            watches.relist();
        }
        carry_out(effect, &source, &sender, &mut work);
    }
}

/// Sends the request that a key asks for; its answer is an event.
fn carry_out(
    effect: Effect,
    source: &Source,
    answers: &mpsc::Sender<Event>,
    work: &mut JoinSet<()>,
) {
    let (source, answers) = (source.clone(), answers.clone());
    match effect {
        Effect::None | Effect::Quit | Effect::Relist => {}
        Effect::Explain(named) => {
            work.spawn(async move {
                let text = source.explain(&named).await;
                let _ = answers.send(Event::Explained(text)).await;
            });
        }
        Effect::Sync(named) => {
            work.spawn(async move {
                let text = source.sync(&named, Timestamp::now()).await;
                let _ = answers.send(Event::Notice(text)).await;
            });
        }
    }
}

/// When rows are rebuilt: soon after events, however many come, and once a second for the times in them.
#[derive(Debug, Default)]
struct Pace {
    has_news: bool,
    is_drawn: bool,
    ticks: u32,
}

impl Pace {
    fn note(&mut self) {
        self.has_news = true;
    }

    fn draw(&mut self) {
        self.is_drawn = false;
    }

    /// Whether something is to be drawn; asking makes it drawn.
    fn draws(&mut self) -> bool {
        !std::mem::replace(&mut self.is_drawn, true)
    }

    /// Whether this tick rebuilds the rows.
    fn tick(&mut self) -> bool {
        self.ticks += 1;
        let due = self.has_news || self.ticks >= REFRESH;
        if due {
            *self = Self {
                is_drawn: self.is_drawn,
                ..Self::default()
            };
        }
        due
    }
}

/// Reads keys until nobody wants them any more.
fn read_keys(events: &mpsc::Sender<Event>) {
    while !events.is_closed() {
        match event::poll(KEY_WAIT) {
            Ok(false) => continue,
            Ok(true) => {}
            Err(_) => return,
        }
        let Ok(read) = event::read() else { return };
        let event = match read {
            event::Event::Key(pressed) if pressed.kind != KeyEventKind::Release => {
                let stops = pressed.modifiers.contains(KeyModifiers::CONTROL)
                    && pressed.code == KeyCode::Char('c');
                match key(pressed.code) {
                    _ if stops => return,
                    Some(key) => Event::Key(key),
                    None => continue,
                }
            }
            // Drawing again is all that a new size asks for.
            event::Event::Resize(..) => Event::Notice(String::new()),
            _ => continue,
        };
        if events.blocking_send(event).is_err() {
            return;
        }
    }
}

fn key(code: KeyCode) -> Option<Key> {
    Some(match code {
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Tab => Key::Tab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Char(letter) => Key::Char(letter),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_made_soon_after_news_and_once_a_second_without() {
        let mut pace = Pace::default();
        assert!(!pace.tick());
        pace.note();
        pace.note();

        assert!(pace.tick());
        let quiet: Vec<bool> = (0..REFRESH).map(|_| pace.tick()).collect();

        assert_eq!(quiet, [false, false, false, false, true]);
    }

    #[test]
    fn a_picture_is_drawn_once() {
        let mut pace = Pace::default();

        assert!(pace.draws());
        assert!(!pace.draws());
        pace.draw();
        assert!(pace.draws());
    }
}
