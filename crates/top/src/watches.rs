//! Follows the operator's own watches for the view: one task a kind, news in one bounded queue, and whether
//! the connection stands. A lost connection is tried again by the watches themselves.

use futures_util::StreamExt;
use kube::Api;
use lockstep_runtime::health::Readiness;
use lockstep_runtime::watch::{Change, Guarded, Settings, watch};
use tokio::sync::{mpsc, watch as latest};
use tokio::task::JoinSet;

use crate::facts::Reduce;
use crate::reduced::Reduced;
use crate::seen::{News, Seen};

/// News that wait to be taken in; a watch waits while there are more.
const QUEUE: usize = 256;

type Queued = (&'static str, News);

/// The watches of all kinds.
pub(crate) struct Watches {
    readiness: Readiness,
    relist: latest::Sender<u64>,
    sender: mpsc::Sender<Queued>,
    news: mpsc::Receiver<Queued>,
    is_lost: bool,
    tasks: JoinSet<()>,
}

/// A change of the connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Connection {
    /// It is lost, for this reason.
    Lost(String),
    /// It is back.
    Back,
}

impl Default for Watches {
    fn default() -> Self {
        let (sender, news) = mpsc::channel(QUEUE);
        Self {
            readiness: Readiness::default(),
            relist: latest::Sender::new(0),
            sender,
            news,
            is_lost: false,
            tasks: JoinSet::new(),
        }
    }
}

impl Watches {
    /// Watches one more kind.
    pub(crate) fn add<K: Reduce>(&mut self, api: Api<Guarded<Reduced<K>>>) {
        let component = self.readiness.register(K::plural(&()));
        let settings = Settings {
            relist: Some(self.relist.subscribe()),
            ..Settings::default()
        };
        let sender = self.sender.clone();
        let changes = watch(api, settings, component);
        self.tasks.spawn(async move {
            let mut changes = std::pin::pin!(changes);
            while let Some(change) = changes.next().await {
                let news = match change {
                    Change::Reset => News::ListBegins,
                    Change::Applied(object) => News::There(Box::new(object.facts)),
                    Change::Deleted(object) => {
                        News::Gone(object.facts.namespace, object.facts.name)
                    }
                    Change::Synced => News::ListEnds,
                    Change::Invalid(one) if one.deleted => News::Gone(one.namespace, one.name),
                    Change::Invalid(_) => continue,
                };
                if sender.send((K::NAME, news)).await.is_err() {
                    return;
                }
            }
        });
    }

    /// Waits for news and takes all in that have come.
    pub(crate) async fn gather(&mut self, seen: &mut Seen) {
        let mut some = Vec::with_capacity(QUEUE);
        self.news.recv_many(&mut some, QUEUE).await;
        for (kind, news) in some {
            seen.take(kind, news);
        }
    }

    /// Lists everything again.
    pub(crate) fn relist(&self) {
        self.relist.send_modify(|times| *times += 1);
    }

    /// Whether the connection was lost or came back since this was last asked.
    pub(crate) fn connection(&mut self) -> Option<Connection> {
        let troubles = self.readiness.troubles();
        match (troubles.first(), self.is_lost) {
            (Some((kind, reason)), false) => {
                self.is_lost = true;
                // A watch that goes on says nothing until something changes; a list tells at once that
                // the server is back.
                self.relist();
                Some(Connection::Lost(format!("{kind}: {reason}")))
            }
            (None, true) => {
                self.is_lost = false;
                Some(Connection::Back)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_and_a_return_are_told_once_each() {
        let mut watches = Watches::default();
        let component = watches.readiness.register("externalsecrets");
        assert_eq!(watches.connection(), None);

        component.waiting("connection refused");
        let lost = Connection::Lost("externalsecrets: connection refused".to_owned());
        assert_eq!(watches.connection(), Some(lost));
        assert_eq!(watches.connection(), None);
        component.ready();

        assert_eq!(watches.connection(), Some(Connection::Back));
        assert_eq!(watches.connection(), None);
    }
}
