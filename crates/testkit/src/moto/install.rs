//! moto from the Python package index, or the server that `MOTO_SERVER` names.

use std::path::PathBuf;

use anyhow::Result;

use super::VERSION;
use crate::{place, python};

/// The server program; it is installed on first use.
pub fn ready() -> Result<PathBuf> {
    if let Some(own) = place::set("MOTO_SERVER") {
        return Ok(own);
    }
    let package = format!("moto[server]=={VERSION}");
    let python = python::ready("moto", &[&package])?;
    Ok(python.with_file_name("moto_server"))
}
