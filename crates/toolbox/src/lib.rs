//! Commands for people beside local mode: one module a command. They read what they are given and
//! print; they write nothing and connect to nothing. The binary passes in what only it knows.

pub mod check;
