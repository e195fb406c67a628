//! A wire that can be cut: forwards connections to a server until it is told not to. For tests of
//! what happens when a server goes away in the middle of something and comes back.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use parking_lot::Mutex;

/// A running forwarder. Its thread ends with the process.
pub struct Proxy {
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    cut: AtomicBool,
    refused: AtomicUsize,
    open: Mutex<Vec<TcpStream>>,
}

impl Proxy {
    /// Forwards a port of its own to `server`.
    pub fn start(server: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(State::default());
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // A connection that cannot be made looks to the client as one that broke.
                drop(shared.forward(client, server));
            }
        });
        Ok(Self { address, state })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Breaks every connection and lets no new one through.
    pub fn cut(&self) {
        self.state.cut.store(true, Ordering::SeqCst);
        self.drop_connections();
    }

    /// Breaks every connection; new ones go through.
    pub fn drop_connections(&self) {
        let mut open = self.state.open.lock();
        for stream in open.drain(..) {
            // One that is closed already is fine.
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    /// How many connections it refused while it was cut.
    pub fn refused(&self) -> usize {
        self.state.refused.load(Ordering::SeqCst)
    }

    /// Lets connections through again.
    pub fn mend(&self) {
        self.state.cut.store(false, Ordering::SeqCst);
    }
}

impl State {
    fn forward(&self, client: TcpStream, server: SocketAddr) -> io::Result<()> {
        if self.cut.load(Ordering::SeqCst) {
            self.refused.fetch_add(1, Ordering::SeqCst);
            return client.shutdown(Shutdown::Both);
        }
        let server = TcpStream::connect(server)?;
        let mut open = self.open.lock();
        open.push(client.try_clone()?);
        open.push(server.try_clone()?);
        drop(open);
        pump(client.try_clone()?, server.try_clone()?);
        pump(server, client);
        Ok(())
    }
}

fn pump(mut from: TcpStream, mut to: TcpStream) {
    thread::spawn(move || {
        // Either end may go at any time; the other is told by closing it.
        drop(io::copy(&mut from, &mut to));
        drop(to.shutdown(Shutdown::Both));
    });
}
