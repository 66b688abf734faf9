//! [`Process`]: a writer that runs, and who listens to it.

use std::{
    io::{self, Read},
    process::{Child, Command, ExitStatus},
    sync::mpsc,
    thread::{self, JoinHandle},
};

use anyhow::{Context, ensure};

use super::said::{Said, hear};

pub(super) struct Process {
    child: Child,
    ears: JoinHandle<anyhow::Result<Said>>,
    enough: mpsc::Receiver<()>,
}

impl Process {
    pub(super) fn start(command: &mut Command) -> anyhow::Result<Self> {
        Self::start_telling(command, 0)
    }

    /// [`has_said_enough`](Self::has_said_enough) is once it has said so many bytes.
    pub(super) fn start_telling(command: &mut Command, bytes: usize) -> anyhow::Result<Self> {
        let mut child = command.spawn().context("start a writer")?;
        let reader = child.stdout.take().context("a writer without stdout")?;
        let (tell, enough) = mpsc::channel();
        let telling = Telling { reader, bytes, tell: Some(tell) };
        Ok(Self { child, ears: thread::spawn(move || hear(telling)), enough })
    }

    pub(super) fn has_said_enough(&self) -> &mpsc::Receiver<()> {
        &self.enough
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// `kill -9`; what it lived to say.
    pub(super) fn kill(mut self) -> anyhow::Result<Said> {
        ensure!(self.child.try_wait()?.is_none(), "a writer ended by itself");
        self.child.kill().context("kill a writer")?;
        Ok(self.end()?.0)
    }

    /// All that it says, once it has ended by itself.
    pub(super) fn end(mut self) -> anyhow::Result<(Said, ExitStatus)> {
        let status = self.child.wait()?;
        match self.ears.join() {
            Ok(said) => Ok((said?, status)),
            Err(_) => anyhow::bail!("the thread that listens panicked"),
        }
    }
}

/// Tells when so many bytes have come.
struct Telling<R> {
    reader: R,
    bytes: usize,
    tell: Option<mpsc::Sender<()>>,
}

impl<R: Read> Read for Telling<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(into)?;
        self.bytes = self.bytes.saturating_sub(read);
        if self.bytes == 0
            && let Some(tell) = self.tell.take()
        {
            // Most have nobody who waits for that.
            let _ = tell.send(());
        }
        Ok(read)
    }
}
