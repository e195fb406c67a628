//! Writes the CRDs with upstream's provider schemas into a folder.
use std::{collections::BTreeMap, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: render-crds FOLDER")?;
    fs::create_dir_all(&folder)?;
    for (name, yaml) in lockstep_api::crds::render(&BTreeMap::new())? {
        fs::write(Path::new(&folder).join(name), yaml)?;
    }
    Ok(())
}
