//! Values under small numbers, so that sets of many things hold four bytes each. A number is used
//! again after its value is gone.

/// Values by number.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    places: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self {
            places: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<T> Slab<T> {
    /// Keeps a value and returns its number.
    pub(crate) fn insert(&mut self, value: T) -> u32 {
        if let Some(free) = self.free.pop() {
            self.places[free as usize] = Some(value);
            return free;
        }
        self.places.push(Some(value));
        // Four billion values do not fit into memory.
        u32::try_from(self.places.len() - 1).unwrap_or(u32::MAX)
    }

    /// Takes a value out.
    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let value = self.places.get_mut(number as usize)?.take();
        if value.is_some() {
            self.free.push(number);
        }
        value
    }

    /// The value under a number.
    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.places.get(number as usize)?.as_ref()
    }

    /// The value under a number, to change it.
    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.places.get_mut(number as usize)?.as_mut()
    }

    /// All values, to change them.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.places.iter_mut().flatten()
    }

    /// Number of values.
    pub(crate) fn len(&self) -> usize {
        self.places.len() - self.free.len()
    }

    /// Values with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let places = self.places.iter().zip(0..);
        places.filter_map(|(place, number)| Some((number, place.as_ref()?)))
    }
}
