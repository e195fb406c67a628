//! The result: a tree of links, each with its state and what to do about it. Knows nothing of how it
//! was found or how it is shown.

use lockstep_toolbox::exit::Exit;
use serde::Serialize;
use serde_json::Value;

/// How a link stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// As it should be.
    Good,
    /// It works, and deserves a look.
    Warn,
    /// Broken.
    Bad,
    /// It could not be looked at, or nobody told yet.
    Unknown,
    /// The object has no such link.
    None,
}

/// One link of the chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    /// Which link: `store`, `target`.
    pub name: String,
    /// What it is here: `SecretStore "aws"`.
    pub subject: String,
    /// How it stands.
    pub state: State,
    /// In words.
    pub text: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<String>,
    /// Parts of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Link>,
}

impl Link {
    /// A link.
    pub fn new(
        name: &str,
        subject: impl Into<String>,
        state: State,
        text: impl Into<String>,
    ) -> Self {
        Self {
            name: name.to_owned(),
            subject: subject.into(),
            state,
            text: text.into(),
            remedy: None,
            parts: Vec::new(),
        }
    }

    /// The same with what to do about it.
    pub fn remedy(mut self, remedy: impl Into<String>) -> Self {
        let remedy = remedy.into();
        self.remedy = (!remedy.is_empty()).then_some(remedy);
        self
    }

    /// The same with parts; a broken part breaks the whole.
    pub fn with(mut self, parts: Vec<Link>) -> Self {
        let worst = |state: State| parts.iter().any(|part| part.state == state);
        if worst(State::Bad) {
            self.state = State::Bad;
        } else if worst(State::Warn) && self.state == State::Good {
            self.state = State::Warn;
        }
        self.parts = parts;
        self
    }

    /// Whether it is broken.
    pub fn is_bad(&self) -> bool {
        self.state == State::Bad
    }

    /// The broken link, or the broken part that breaks it.
    fn culprit(&self) -> &Self {
        let part = self.parts.iter().find(|part| part.is_bad());
        part.map_or(self, Self::culprit)
    }
}

/// What was found about an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Kind of the object.
    pub kind: String,
    /// Its namespace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// Its name.
    pub name: String,
    /// When and why it syncs, in words: `last sync`, `next sync`; in JSON `lastSync`, `nextSync`.
    pub schedule: Vec<(String, String)>,
    /// The chain.
    pub links: Vec<Link>,
}

impl Report {
    /// The first broken link, at its lowest broken part.
    pub fn first_broken(&self) -> Option<&Link> {
        let broken = self.links.iter().find(|link| link.is_bad());
        broken.map(Link::culprit)
    }

    /// The exit code that goes with it.
    pub fn exit(&self) -> Exit {
        if self.first_broken().is_some() {
            Exit::Findings
        } else {
            Exit::Fine
        }
    }

    /// The report for programs.
    pub fn json(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        let schedule = self.schedule.iter();
        let schedule: serde_json::Map<String, Value> = schedule
            .map(|(name, text)| (name.replace(" s", "S"), Value::from(text.clone())))
            .collect();
        value["schedule"] = schedule.into();
        value["healthy"] = self.first_broken().is_none().into();
        value["firstBroken"] = self.first_broken().map_or(Value::Null, |link| {
            serde_json::json!({
                "link": link.name, "subject": link.subject, "text": link.text,
                "remedy": link.remedy,
            })
        });
        value
    }
}
