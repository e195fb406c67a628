//! Series of ClusterExternalSecrets and ClusterPushSecrets, written from the rows of the index while a
//! scrape runs; none are kept.

use std::marker::PhantomData;
use std::sync::Arc;

use lockstep_plan::fan_out::Parent;
use lockstep_runtime::metrics::{Family, Page, Rows};

use super::kind::FanOut;
use crate::context::Context;
use crate::series::{labels, state};

/// Series of one of the kinds. There are few objects, so one page holds them all.
pub(crate) struct FanOutRows<P> {
    context: Arc<Context>,
    extended: bool,
    kind: PhantomData<P>,
}

impl<P> FanOutRows<P> {
    pub(crate) fn new(context: &Arc<Context>, extended: bool) -> Self {
        Self {
            context: Arc::clone(context),
            extended,
            kind: PhantomData,
        }
    }
}

impl<P: FanOut> Rows for FanOutRows<P> {
    fn families(&self) -> &'static [Family] {
        P::SERIES
    }

    fn page(&self, family: &Family, _: Option<String>, page: &mut Page<'_>) -> Option<String> {
        let objects = P::rows(&self.context.index);
        for (name, row) in objects.rows() {
            let own = Parent::metadata(row.object.as_ref()).labels.clone();
            let own = own.unwrap_or_default();
            let labels = labels("", name, self.extended.then_some(&own));
            state(page, family, &labels, (row.last_nanos, row.ready()));
        }
        None
    }
}
