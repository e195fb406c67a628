//! Draws the view: a head with counts, the table, and a line with keys. Decides nothing.

use jiff::Timestamp;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use lockstep_local::table::age;
use lockstep_toolbox::output::Paint;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Cell, Paragraph, Row as TableRow, Table, TableState, Wrap};

use crate::model::{Health, Row};
use crate::view::{Tab, View, costliest};

const KEYS: &str =
    "↑↓ select  tab objects/stores  f filter  o order  / search  enter explain  s sync  q quit";

/// Draws one picture.
pub(crate) fn draw(frame: &mut Frame<'_>, view: &View, (now, paint): (Timestamp, Paint)) {
    let [head, body, foot] = Layout::vertical([
        Constraint::Length(3),
        Constraint::Min(3),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    frame.render_widget(Paragraph::new(summary(view)), head);
    match &view.explained {
        Some((text, top)) => {
            let block = Block::bordered().title(" explain: any other key closes, ↑↓ scroll ");
            let text = Paragraph::new(text.as_str())
                .block(block)
                .wrap(Wrap { trim: false })
                .scroll((*top, 0));
            frame.render_widget(text, body);
        }
        None => table(frame, body, view, now),
    }
    frame.render_widget(Paragraph::new(footer(view)), foot);
    if !paint.is_shown() {
        for cell in &mut frame.buffer_mut().content {
            (cell.fg, cell.bg) = (Color::Reset, Color::Reset);
        }
    }
}

fn summary(view: &View) -> Vec<Line<'static>> {
    let model = &view.model;
    let dim = Style::new().add_modifier(Modifier::DIM);
    let mut counts = vec![Span::styled(
        format!(
            "lockstep top  {} objects, {} stores  ",
            model.objects.len(),
            model.stores.len()
        ),
        Style::new().add_modifier(Modifier::BOLD),
    )];
    for health in [
        Health::Failing,
        Health::Throttled,
        Health::Stale,
        Health::Waiting,
        Health::Ready,
    ] {
        let count = model.count(health);
        let style = if count > 0 { style(health) } else { dim };
        counts.push(Span::styled(format!("{} {count}  ", health.word()), style));
    }
    let most =
        costliest(&model.stores).map(|row| format!(", most of them {} {}", row.kind, row.name));
    let cost = format!(
        "reads asked for: {:.0} an hour{}",
        view.cost(),
        most.unwrap_or_default()
    );
    let shown = format!(
        "{}  filter {}  order {}",
        match view.tab {
            Tab::Objects => "objects",
            Tab::Stores => "stores",
        },
        view.filter.word(),
        view.order.word()
    );
    vec![
        Line::from(counts),
        Line::styled(cost, dim),
        Line::styled(shown, dim),
    ]
}

fn table(frame: &mut Frame<'_>, area: Rect, view: &View, now: Timestamp) {
    let rows = view.rows();
    let shown = rows.iter().map(|row| line(row, view.tab, now));
    let (headings, widths) = match view.tab {
        Tab::Objects => (
            [
                "STATE",
                "NAMESPACE",
                "NAME",
                "STORE",
                "LAST",
                "NEXT",
                "READS/H",
                "MESSAGE",
            ],
            [9, 14, 24, 16, 6, 6, 8, 0],
        ),
        Tab::Stores => (
            [
                "STATE",
                "NAMESPACE",
                "NAME",
                "PROVIDER",
                "USERS",
                "",
                "READS/H",
                "MESSAGE",
            ],
            [9, 14, 24, 16, 6, 6, 8, 0],
        ),
    };
    let widths = widths.map(|width| match width {
        0 => Constraint::Min(10),
        width => Constraint::Length(width),
    });
    let bold = Style::new().add_modifier(Modifier::BOLD);
    let table = Table::new(shown, widths)
        .header(TableRow::new(headings).style(bold))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED));
    let mut state = TableState::default().with_selected(Some(view.selected));
    frame.render_stateful_widget(table, area, &mut state);
}

fn line(row: &Row, tab: Tab, now: Timestamp) -> TableRow<'static> {
    let (fifth, sixth) = match tab {
        Tab::Objects => (since(row.last, now), until(row.due, now)),
        Tab::Stores => (row.users.to_string(), String::new()),
    };
    TableRow::new([
        Cell::new(row.health.word()).style(style(row.health)),
        Cell::new(row.namespace.clone()),
        Cell::new(row.name.clone()),
        Cell::new(row.through.clone()),
        Cell::new(fifth),
        Cell::new(sixth),
        Cell::new(format!("{:.1}", row.reads_per_hour)),
        Cell::new(row.told().to_owned()),
    ])
}

fn footer(view: &View) -> Line<'static> {
    if view.typing || !view.search.is_empty() {
        let cursor = if view.typing { "▏" } else { "" };
        return Line::raw(format!("/{}{cursor}", view.search));
    }
    if let Some(reason) = &view.lost {
        let text = format!("connection lost, trying again: {reason}");
        return Line::styled(text.replace('\n', " "), style(Health::Failing));
    }
    if view.notice.is_empty() {
        Line::styled(KEYS, Style::new().add_modifier(Modifier::DIM))
    } else {
        Line::raw(view.notice.clone())
    }
}

fn style(health: Health) -> Style {
    match health {
        Health::Failing => Style::new().fg(Color::Red).add_modifier(Modifier::BOLD),
        Health::Throttled | Health::Stale | Health::Waiting => Style::new().fg(Color::Yellow),
        Health::Ready => Style::new().fg(Color::Green),
    }
}

/// Time since a moment, in short.
pub(crate) fn since(time: Option<Timestamp>, now: Timestamp) -> String {
    age(time.map(Time).as_ref(), now)
}

/// Time until a moment, in short.
pub(crate) fn until(time: Option<Timestamp>, now: Timestamp) -> String {
    time.map_or_else(String::new, |time| age(Some(&Time(now)), time))
}
