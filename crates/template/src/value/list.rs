//! Go slices: a type for the elements, a window onto shared storage, and the difference between
//! an empty slice and a nil one.
//!
//! Lists are never changed in place, with one exception that sprig users can see: `sortAlpha`
//! sorts a `[]string` where it lies.

use std::fmt;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Str, Value, release};

/// The element type of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Elem {
    /// `[]interface {}`
    Any,
    /// `[]string`
    Str,
    /// `[]int`
    Int,
    /// `[][]interface {}`
    List,
    /// `[]uint8`
    Byte,
}

/// A Go slice.
#[derive(Clone)]
pub struct List {
    data: Arc<Data>,
    start: usize,
    len: usize,
}

struct Data {
    elem: Elem,
    nil: bool,
    cells: Cells,
}

enum Cells {
    Values(Vec<Value>),
    Strings(Mutex<Vec<Str>>),
}

impl List {
    /// A `[]interface {}` of these values.
    pub fn any(items: Vec<Value>) -> Self {
        Self::of(Elem::Any, items)
    }

    /// A `[]string`.
    pub fn strings(items: Vec<Str>) -> Self {
        let len = items.len();
        Self::build(Elem::Str, Cells::Strings(Mutex::new(items)), len, false)
    }

    /// A list whose elements have the given type; the caller sees to it that they do.
    pub(crate) fn of(elem: Elem, items: Vec<Value>) -> Self {
        let len = items.len();
        Self::build(elem, Cells::Values(items), len, false)
    }

    /// The nil slice of that type, which JSON shows as `null`.
    pub(crate) fn nil(elem: Elem) -> Self {
        let cells = match elem {
            Elem::Str => Cells::Strings(Mutex::default()),
            _ => Cells::Values(Vec::new()),
        };
        Self::build(elem, cells, 0, true)
    }

    fn build(elem: Elem, cells: Cells, len: usize, nil: bool) -> Self {
        Self {
            data: Arc::new(Data { elem, nil, cells }),
            start: 0,
            len,
        }
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub(crate) fn is_nil(&self) -> bool {
        self.data.nil
    }

    pub(crate) fn elem(&self) -> Elem {
        self.data.elem
    }

    /// The element at `index`, if there is one.
    pub fn get(&self, index: usize) -> Option<Value> {
        if index >= self.len {
            return None;
        }
        let index = self.start + index;
        match &self.data.cells {
            Cells::Values(items) => items.get(index).cloned(),
            Cells::Strings(items) => items.lock().get(index).cloned().map(Value::Str),
        }
    }

    /// All elements, as they are now.
    pub fn to_vec(&self) -> Vec<Value> {
        let window = self.start..self.start + self.len;
        match &self.data.cells {
            Cells::Values(items) => items.get(window).unwrap_or_default().to_vec(),
            Cells::Strings(items) => items
                .lock()
                .get(window)
                .unwrap_or_default()
                .iter()
                .cloned()
                .map(Value::Str)
                .collect(),
        }
    }

    /// The elements of a `[]string`, or nothing for any other list.
    pub(crate) fn as_strings(&self) -> Option<Vec<Str>> {
        match &self.data.cells {
            Cells::Values(_) => None,
            Cells::Strings(items) => {
                let window = self.start..self.start + self.len;
                Some(items.lock().get(window).unwrap_or_default().to_vec())
            }
        }
    }

    /// Sorts a `[]string` where it lies; `false` for any other list.
    pub(crate) fn sort_strings(&self) -> bool {
        let Cells::Strings(items) = &self.data.cells else {
            return false;
        };
        if let Some(window) = items.lock().get_mut(self.start..self.start + self.len) {
            window.sort();
        }
        true
    }

    /// The elements from `from` up to `to` as a view on the same storage.
    pub(crate) fn window(&self, from: usize, to: usize) -> Option<Self> {
        if from > to || to > self.len {
            return None;
        }
        Some(Self {
            data: Arc::clone(&self.data),
            start: self.start + from,
            len: to - from,
        })
    }

    pub(super) fn into_values(self) -> Option<Vec<Value>> {
        let mut data = Arc::into_inner(self.data)?;
        match &mut data.cells {
            Cells::Values(items) => Some(std::mem::take(items)),
            Cells::Strings(_) => None,
        }
    }
}

impl Drop for Data {
    fn drop(&mut self) {
        if let Cells::Values(items) = &mut self.cells
            && items.iter().any(Value::holds_values)
        {
            release(std::mem::take(items));
        }
    }
}

impl fmt::Debug for List {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "List({} of {:?})", self.len, self.data.elem)
    }
}
