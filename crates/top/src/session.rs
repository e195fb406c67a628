//! Owns the terminal: puts it into its other screen, hands keys and answers to the view, carries effects out,
//! and puts the terminal back whatever happens.

use std::time::Duration;

use anyhow::Context;
use jiff::Timestamp;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, KeyCode, KeyEventKind, KeyModifiers};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::cluster::Source;
use crate::draw::draw;
use crate::model::Model;
use crate::view::{Effect, Event, Key, View};

/// How long one wait for a key lasts before the end is looked for.
const KEY_WAIT: Duration = Duration::from_millis(200);

/// Shows the view until the user leaves it.
pub(crate) async fn run(source: Source, model: Model, every: Duration) -> anyhow::Result<()> {
    let mut terminal = ratatui::try_init().context("use the terminal")?;
    let ended = watch(&mut terminal, source, model, every).await;
    ratatui::restore();
    ended
}

async fn watch(
    terminal: &mut DefaultTerminal,
    source: Source,
    model: Model,
    every: Duration,
) -> anyhow::Result<()> {
    let mut view = View::new(model);
    let (sender, mut events) = mpsc::channel(64);
    let keys = sender.clone();
    std::thread::spawn(move || read_keys(&keys));
    let mut work = JoinSet::new();
    let mut tick = tokio::time::interval(every);
    tick.reset();
    loop {
        terminal.draw(|frame| draw(frame, &view, Timestamp::now()))?;
        let effect = tokio::select! {
            event = events.recv() => match event {
                Some(event) => view.update(event),
                None => Effect::Quit,
            },
            _ = tick.tick() => Effect::Reload,
            Some(_) = work.join_next(), if !work.is_empty() => Effect::None,
        };
        let (source, answers) = (source.clone(), sender.clone());
        match effect {
            Effect::Quit => return Ok(()),
            // A slow API server is not asked again and again.
            Effect::Reload if work.len() < 4 => {
                work.spawn(async move {
                    let event = match source.load(Timestamp::now()).await {
                        Ok(model) => Event::Loaded(model),
                        Err(error) => Event::Notice(format!("{error:#}").replace('\n', " ")),
                    };
                    let _ = answers.send(event).await;
                });
            }
            Effect::None | Effect::Reload => {}
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
