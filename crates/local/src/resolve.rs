//! The ExternalSecrets of a folder for commands that hand values on themselves: resolves them in memory,
//! and again when one is due or the folder is edited. Prints nothing and writes nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use lockstep_provider_api::SecretMap;

use super::edits::Edits;
use super::flags::LocalFlags;
use super::folder::Folder;
use super::folder_world::data_of;
use super::name::Name;
use super::report;
use super::runner::Runner;
use super::session::{self, Round, Session};
use super::watch::{Agenda, reread, wait};
use super::{Environment, services, settings};

/// A folder whose ExternalSecrets are resolved on demand.
pub struct Resolver {
    session: Session,
    agenda: Agenda,
    edits: Option<Edits>,
}

/// What a folder's ExternalSecrets resolve to.
#[derive(Debug, Default)]
pub struct Resolved {
    /// Every ExternalSecret, in the order of their names.
    pub objects: Vec<ResolvedObject>,
    /// Faults of manifests, stores and objects, ready to print; empty when there are none.
    pub failures: String,
}

/// One ExternalSecret.
#[derive(Debug)]
pub struct ResolvedObject {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The values of its target, unless it failed.
    pub data: Option<SecretMap>,
}

impl Resolver {
    /// Reads the manifests of a folder. Nothing is resolved yet.
    pub fn open(dir: PathBuf, namespace: &str, environment: Environment) -> anyhow::Result<Self> {
        let flags = LocalFlags::reading(dir, namespace);
        let manifests = session::read(&flags).map_err(|text| anyhow::anyhow!(text))?;
        let folder = Arc::new(Folder::default());
        let runner = Runner::new(
            Arc::clone(&folder),
            services(&folder, environment),
            settings(&flags)?,
        );
        Ok(Self {
            session: Session::new(flags, folder, runner, manifests),
            agenda: Agenda::default(),
            edits: None,
        })
    }

    /// Resolves everything.
    pub async fn resolve(&mut self) -> Resolved {
        let changes = self.session.load();
        let round = self.agenda.run(&self.session, changes).await;
        self.resolved(&round)
    }

    /// Waits until something is due or the folder is edited, and resolves that.
    pub async fn changed(&mut self) -> anyhow::Result<Resolved> {
        if self.edits.is_none() {
            let dir = &self.session.flags.dir;
            let edits =
                Edits::of(dir).with_context(|| format!("watch {} for edits", dir.display()));
            // What was edited since the manifests were read counts as the first edit.
            self.edits = Some(edits?.expect_one());
        }
        let next = self.agenda.next();
        let changes = match &mut self.edits {
            Some(edits) => tokio::select! {
                () = edits.next() => {
                    reread(&mut self.session);
                    self.session.load()
                }
                () = wait(&self.session, next) => self.agenda.due(self.session.runner.now()),
            },
            None => self.session.load(),
        };
        self.agenda.forget(&changes.gone);
        let round = self.agenda.run(&self.session, changes).await;
        Ok(self.resolved(&round))
    }

    fn resolved(&self, round: &Round) -> Resolved {
        let view = &round.view;
        let secrets: BTreeMap<&Name, SecretMap> = view
            .secrets
            .iter()
            .map(|(name, secret)| (name, data_of(secret)))
            .collect();
        let objects = view.objects.iter().map(|object| {
            let target = Name::new(&*object.name.namespace, &*object.target);
            let data = secrets.get(&target).filter(|_| !object.health.is_failed());
            ResolvedObject {
                namespace: object.name.namespace.clone(),
                name: object.name.name.clone(),
                data: data.cloned(),
            }
        });
        Resolved {
            objects: objects.collect(),
            failures: report::failures(view, &self.session.manifests, None),
        }
    }
}
