//! The API server is killed in the middle of work and comes back on the same data.

use lockstep_testkit::controlplane::ControlPlane;

use crate::process::{Room, fleet, metric, operator, put_store, until};

const OBJECTS: usize = 250;

#[test]
fn a_killed_api_server_costs_no_secret_and_no_second_write() {
    let mut plane = ControlPlane::start_bare().unwrap();
    plane.install_crds().unwrap();
    let room = Room::new(&plane);
    fleet(&room, &[("a", "1")], OBJECTS, "1h");
    let mut operator = operator(&plane, &[&room.flag()]);
    let early = until("the first Secrets", || {
        let versions = room.versions();
        if versions.len() > 5 {
            Ok(versions)
        } else {
            Err(versions)
        }
    });

    plane.kill_api_server().unwrap();
    operator.check().unwrap();
    plane.start_api_server().unwrap();
    // Connections to the old process are of no use.
    let api = plane.admin().unwrap();
    let room = Room { api, ..room };
    room.all_ready(OBJECTS);

    operator.check().unwrap();
    let versions = room.versions();
    assert_eq!(versions.len(), OBJECTS);
    for (name, version) in &early {
        assert_eq!(&versions[name], version, "{name} was written again");
    }
    // First syncs create; whoever is written a second time is replaced.
    let replaced = metric(&operator, "rest_client_requests_total", "method=\"PUT\"");
    assert_eq!(replaced, 0);

    // The watches are whole again: a new value goes to everyone.
    put_store(&room, &[("a", "2")]);
    room.all_say(OBJECTS, "Mg==");
    operator.check().unwrap();
}
