//! Headless Chromium: the text of a page after its scripts ran, and pictures of it.

use crate::Result;
use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The time after which a browser is stopped.
const PATIENCE: Duration = Duration::from_secs(90);

/// A browser that is installed.
pub(crate) struct Browser {
    program: PathBuf,
    /// The folder for what it writes.
    folder: PathBuf,
}

impl Browser {
    /// The program that the variable `CHROMIUM` names, or one of the path.
    pub(crate) fn find(folder: &Path) -> Option<Browser> {
        let named = env::var_os("CHROMIUM").map(PathBuf::from);
        let path = env::var_os("PATH").unwrap_or_default();
        let names = [
            "chromium",
            "chromium-browser",
            "google-chrome",
            "google-chrome-stable",
        ];
        let on_path = env::split_paths(&path)
            .flat_map(|folder| names.map(|name| folder.join(name)))
            .find(|file| file.is_file());
        Some(Browser {
            program: named.or(on_path)?,
            folder: folder.to_path_buf(),
        })
    }

    /// The document as HTML, after its scripts ran in a window `size` pixels wide and high.
    pub(crate) fn document(&self, url: &str, size: (u32, u32)) -> Result<String> {
        self.run(&["--dump-dom", &window(size), url])
    }

    /// Writes a picture of the page, `size` pixels wide and high.
    pub(crate) fn screenshot(
        &self,
        url: &str,
        file: &Path,
        size: (u32, u32),
        is_dark: bool,
    ) -> Result<()> {
        let scheme = u8::from(!is_dark);
        // One of an earlier run must not pass for that of this one.
        if file.exists() {
            fs::remove_file(file)?;
        }
        self.run(&[
            &format!("--screenshot={}", file.display()),
            &window(size),
            &format!("--blink-settings=preferredColorScheme={scheme}"),
            "--hide-scrollbars",
            // Without it a part of the picture may be missing.
            "--run-all-compositor-stages-before-draw",
            url,
        ])?;
        if file.exists() {
            return Ok(());
        }
        Err(format!("Chromium writes no {}", file.display()).into())
    }

    /// Runs the browser once, in a profile of its own, and returns its output.
    fn run(&self, arguments: &[&str]) -> Result<String> {
        let profile = self.folder.join("profile");
        let _ = fs::remove_dir_all(&profile);
        let (output, log) = (
            self.folder.join("browser.out"),
            self.folder.join("browser.log"),
        );
        let mut child = Command::new(&self.program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
            ])
            .args([
                "--disable-dev-shm-usage",
                "--virtual-time-budget=20000",
                "--enable-logging=stderr",
            ])
            .arg(format!("--user-data-dir={}", profile.display()))
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(File::create(&output)?)
            .stderr(File::create(&log)?)
            .spawn()?;
        let is_finished = wait(&mut child)?;
        let _ = fs::remove_dir_all(&profile);
        if is_finished {
            return Ok(fs::read_to_string(&output)?);
        }
        Err(format!("{} fails, see {}", self.program.display(), log.display()).into())
    }
}

fn window((width, height): (u32, u32)) -> String {
    format!("--window-size={width},{height}")
}

/// Returns `true` if the browser ends in time and without an error.
fn wait(child: &mut Child) -> Result<bool> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        thread::sleep(Duration::from_millis(50));
    }
    child.kill()?;
    child.wait()?;
    Ok(false)
}
