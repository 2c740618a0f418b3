//! Answers requests from stdin on stdout until stdin ends.
//!
//! ```text
//! cargo run --release --bin gradbench
//! {"id":0,"kind":"start","eval":"hello"}
//! {"id":1,"kind":"define","module":"hello"}
//! {"id":2,"kind":"evaluate","module":"hello","function":"double","input":3.0}
//! ```

use std::io::{self, BufRead, BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever asked is gone.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn serve() -> io::Result<()> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        serde_json::to_writer(&mut stdout, &gradbench::protocol::answer(&line))?;
        stdout.write_all(b"\n")?;
        stdout.flush()?;
    }
    Ok(())
}
