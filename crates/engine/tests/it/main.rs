//! Whole runs over a world in memory: what is written, in which order, and what is left alone.

mod isolation;
mod memory;
mod runs;
