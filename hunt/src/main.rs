//! Writes random differentiable programs, and checks their derivatives.

mod batch;
mod generate;
mod shrink;
mod tree;

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use clap::{Parser, Subcommand};
use hunt::random::Random;

use batch::{Candidate, Verdict, Workshop};
use tree::Numbers;

/// Random differentiable programs, whose derivatives are checked.
#[derive(Parser)]
struct Options {
    #[command(subcommand)]
    command: Hunt,
    /// Where crates of programs are written and built.
    #[arg(long, global = true)]
    dir: Option<PathBuf>,
    /// The profile of the library and its macro: `dev` shares the build of tests, `hunt` has an optimised macro.
    #[arg(long, global = true, default_value = "dev")]
    profile: String,
    /// Failures that are known, which are counted and not shrunk. A line is part of a verdict, perhaps with " && " and parts of the program.
    #[arg(long, global = true)]
    known: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Hunt {
    /// Checks new programs.
    Run {
        /// Of the first program; a fresh one is made and printed without it.
        #[arg(long)]
        seed: Option<u64>,
        #[arg(long, default_value_t = 200)]
        programs: usize,
        /// How many programs are one crate.
        #[arg(long, default_value_t = 12)]
        batch: usize,
        /// How many crates are built at the same time; as many as there are cores without it.
        #[arg(long)]
        jobs: Option<usize>,
        /// One of so many crates is built in release, too.
        #[arg(long, default_value_t = 5)]
        release_every: usize,
        /// No new crate is begun after so many minutes.
        #[arg(long)]
        minutes: Option<f64>,
        /// How many failing programs are shrunk, one of each kind.
        #[arg(long, default_value_t = 1)]
        shrink: usize,
        /// How many minutes shrinking one takes at most.
        #[arg(long, default_value_t = 10.0)]
        shrink_minutes: f64,
        /// Valid programs that don't compile are printed, but don't fail the run. Wrong results do.
        #[arg(long)]
        wrong_only: bool,
    },
    /// Prints the program of a seed.
    Show { seed: u64 },
    /// Shrinks the program of a seed.
    Shrink {
        seed: u64,
        /// Also writes it to the corpus, under this name.
        #[arg(long)]
        name: Option<String>,
    },
    /// Checks the programs that failed once.
    Corpus,
}

fn main() -> ExitCode {
    match run(Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether all is well.
fn run(options: Options) -> io::Result<bool> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().unwrap_or(root);
    let dir = options.dir.unwrap_or_else(|| root.join("target/programs"));
    let shop = || Workshop::new(&root, dir.clone(), &options.profile);
    match options.command {
        Hunt::Run {
            seed,
            programs,
            batch,
            jobs,
            release_every,
            minutes,
            shrink,
            shrink_minutes,
            wrong_only,
        } => {
            let fresh = || {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                now.map_or(0, |t| t.as_secs())
            };
            let plan = Plan {
                seed: seed.unwrap_or_else(fresh),
                programs,
                batch,
                jobs: jobs
                    .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from)),
                release_every,
                minutes,
                shrink,
                shrink_limit: Duration::from_secs_f64(60.0 * shrink_minutes),
                known: known_failures(options.known.as_deref())?,
                wrong_only,
            };
            plan.run(&shop()?)
        }
        Hunt::Show { seed } => {
            println!(
                "{}",
                readable(&generate::program(seed).print(Numbers::Plain))
            );
            Ok(true)
        }
        Hunt::Shrink { seed, name } => {
            let corpus = name.map(|name| root.join("hunt/corpus").join(name));
            shrink_one(&shop()?, seed, corpus.as_deref())
        }
        Hunt::Corpus => corpus(&shop()?, &root.join("hunt/corpus")),
    }
}

fn known_failures(file: Option<&Path>) -> io::Result<Vec<String>> {
    let text = file.map_or(Ok(String::new()), fs::read_to_string)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    Ok(lines.map(str::to_owned).collect())
}

struct Plan {
    seed: u64,
    programs: usize,
    batch: usize,
    jobs: usize,
    release_every: usize,
    minutes: Option<f64>,
    shrink: usize,
    shrink_limit: Duration,
    known: Vec<String>,
    /// Errors at compile time don't fail the run.
    wrong_only: bool,
}

/// The programs of one crate.
struct Batch {
    seeds: Vec<u64>,
    verdicts: Vec<Verdict>,
    /// The verdicts on some of them in a release build.
    released: Option<Vec<(usize, Verdict)>>,
}

/// How many programs came to what.
#[derive(Default)]
struct Counts {
    agrees: usize,
    /// Of these: where differences say something else.
    differences: usize,
    released: usize,
    /// For each operation: how many programs differentiate it, and in how many it could be wrong.
    operations: BTreeMap<String, (usize, usize)>,
    unclear: BTreeMap<String, usize>,
    invalid: BTreeMap<String, usize>,
    refused: BTreeMap<String, usize>,
    failures: Vec<(u64, Verdict)>,
    known: usize,
}

impl Plan {
    fn run(&self, shop: &Workshop) -> io::Result<bool> {
        println!("seed {}", self.seed);
        let start = Instant::now();
        let mut counts = Counts::default();
        let mut ran = 0;
        // Which seeds are next, and the number of their crate.
        let next = Mutex::new((Random::new(self.seed), 0, 0));
        let (sender, batches) = mpsc::channel();
        thread::scope(|scope| -> io::Result<()> {
            for job in 0..self.jobs {
                let (sender, next) = (sender.clone(), &next);
                let shop = shop.beside(&format!("job{job}"));
                scope.spawn(move || {
                    while let Some((number, seeds)) = self.seeds(start, next) {
                        let batch = self.batch(&shop, number, seeds);
                        let failed = batch.is_err();
                        if sender.send(batch).is_err() || failed {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            for batch in batches {
                let batch = batch?;
                ran += batch.seeds.len();
                counts.add_batch(batch, &self.known);
                eprintln!(
                    "{ran} programs, {} agree, {} failures, {} known, {:.0} a minute",
                    counts.agrees,
                    counts.failures.len(),
                    counts.known,
                    count(ran) / start.elapsed().as_secs_f64() * 60.0
                );
            }
            Ok(())
        })?;
        counts.print(ran, start.elapsed());
        let mut kinds = HashSet::new();
        let kinds = counts
            .failures
            .iter()
            .filter(|(_, verdict)| kinds.insert(verdict.kind()));
        for (seed, verdict) in kinds.take(self.shrink) {
            let program = generate::program(*seed);
            let small = shrink::shrink(shop, *seed, program, verdict, self.shrink_limit)?;
            println!(
                "\n== program {seed}, shrunk: {verdict:?}\n{}",
                readable(&small.print(Numbers::Plain))
            );
        }
        let fails = |verdict: &Verdict| !(self.wrong_only && verdict.is_compile_error());
        Ok(!counts.failures.iter().any(|(_, verdict)| fails(verdict)))
    }

    /// Of the next crate, unless there are enough.
    fn seeds(
        &self,
        start: Instant,
        next: &Mutex<(Random, usize, usize)>,
    ) -> Option<(usize, Vec<u64>)> {
        let limit = self.minutes.map(|m| Duration::from_secs_f64(60.0 * m));
        if limit.is_some_and(|limit| start.elapsed() > limit) {
            return None;
        }
        let mut next = next.lock().ok()?;
        let (random, begun, number) = &mut *next;
        let size = self.batch.min(self.programs - *begun);
        *begun += size;
        *number += 1;
        let seeds = (0..size).map(|_| random.bits() >> 16).collect();
        (size > 0).then_some((*number, seeds))
    }

    fn batch(&self, shop: &Workshop, number: usize, seeds: Vec<u64>) -> io::Result<Batch> {
        let texts: Vec<Candidate> = seeds
            .iter()
            .map(|s| Candidate::new(*s, &generate::program(*s)))
            .collect();
        let verdicts = shop.run(&texts, false)?;
        let released = if number.is_multiple_of(self.release_every) {
            // Programs that agree in a debug build have to agree in a release build.
            let chosen: Vec<usize> = (0..texts.len())
                .filter(|i| matches!(verdicts[*i], Verdict::Agrees { .. }))
                .collect();
            let texts: Vec<Candidate> = chosen.iter().map(|i| texts[*i].clone()).collect();
            let verdicts = shop.run(&texts, true)?;
            Some(chosen.into_iter().zip(verdicts).collect())
        } else {
            None
        };
        Ok(Batch {
            seeds,
            verdicts,
            released,
        })
    }
}

impl Counts {
    fn add(&mut self, seed: u64, verdict: Verdict) {
        let count = |map: &mut BTreeMap<String, usize>, what: &str| {
            *map.entry(without_names(what)).or_default() += 1;
        };
        match verdict {
            Verdict::Agrees {
                differences,
                used,
                blind,
                ..
            } => {
                self.agrees += 1;
                self.differences += usize::from(!differences);
                for name in used {
                    let (used, unseen) = self.operations.entry(name.clone()).or_default();
                    *used += 1;
                    *unseen += usize::from(blind.contains(&name));
                }
            }
            Verdict::Unclear(what) => count(&mut self.unclear, &what),
            Verdict::Invalid(what) => {
                if std::env::var_os("HUNT_VERBOSE").is_some() {
                    eprintln!("invalid {seed}: {what}");
                }
                count(&mut self.invalid, &what);
            }
            Verdict::Refused(what) => {
                if std::env::var_os("HUNT_VERBOSE").is_some() {
                    eprintln!("refused {seed}: {what}");
                }
                count(&mut self.refused, &what);
            }
            _ => {}
        }
    }

    fn add_batch(&mut self, batch: Batch, known: &[String]) {
        for (i, release) in batch.released.into_iter().flatten() {
            self.released += 1;
            let failure = match (&batch.verdicts[i], release) {
                (Verdict::Agrees { digest: a, .. }, Verdict::Agrees { digest: b, .. }) => {
                    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-8 * (1.0 + a.abs());
                    if a.len() == b.len() && a.iter().zip(&b).all(close) {
                        continue;
                    }
                    Verdict::Mismatch("debug and release differ".to_owned())
                }
                (_, Verdict::Unclear(_) | Verdict::Invalid(_)) => continue,
                (_, other) => other,
            };
            println!("in release:");
            self.fail(batch.seeds[i], failure, known);
        }
        for (seed, verdict) in batch.seeds.into_iter().zip(batch.verdicts) {
            if verdict.is_failure() {
                self.fail(seed, verdict, known);
            } else {
                self.add(seed, verdict);
            }
        }
    }

    fn fail(&mut self, seed: u64, failure: Verdict, known: &[String]) {
        let text = format!("{failure:?}");
        let program = generate::program(seed).print(Numbers::Plain);
        let matches = |known: &String| {
            let mut parts = known.split(" && ");
            let message = parts.next().unwrap_or_default();
            text.contains(message) && parts.all(|shape| program.contains(shape))
        };
        if known.iter().any(matches) {
            self.known += 1;
        } else {
            println!("failure: program {seed}: {text}");
            self.failures.push((seed, failure));
        }
    }

    fn print(&self, ran: usize, time: Duration) {
        println!("\n{ran} programs in {:.0} s", time.as_secs_f64());
        println!(
            "{} agree, of which {} in release builds, too",
            self.agrees, self.released
        );
        println!(
            "{} of these have differences that say otherwise",
            self.differences
        );
        println!("wrong on purpose, of how many programs that use it found in how many:");
        for (name, (used, unseen)) in &self.operations {
            println!("  {name} {used} {}", used - unseen);
        }
        for (what, map) in [
            ("unclear", &self.unclear),
            ("invalid", &self.invalid),
            ("refused", &self.refused),
        ] {
            println!("{} {what}", map.values().sum::<usize>());
            let mut sorted: Vec<_> = map.iter().collect();
            sorted.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
            for (message, n) in sorted.iter().take(15) {
                println!("  {n:4} {message}");
            }
        }
        println!(
            "{} failures, and {} that are known",
            self.failures.len(),
            self.known
        );
    }
}

/// A message without the names in it.
pub(crate) fn without_names(message: &str) -> String {
    let mut out = String::new();
    let mut parts = message.split('`');
    while let Some(text) = parts.next() {
        out.push_str(text);
        if parts.next().is_some() {
            out.push_str("`_`");
        }
    }
    out
}

/// Shrinks the program of a seed, and writes it to files of the corpus.
fn shrink_one(shop: &Workshop, seed: u64, files: Option<&Path>) -> io::Result<bool> {
    let program = generate::program(seed);
    let verdict = shop
        .run(&[Candidate::new(seed, &program)], false)?
        .remove(0);
    println!("{verdict:?}");
    if !verdict.is_failure() {
        return Ok(true);
    }
    let small = shrink::shrink(shop, seed, program, &verdict, Duration::from_secs(1800))?;
    println!("{}", readable(&small.print(Numbers::Plain)));
    if let Some(files) = files {
        let Candidate { plain, oracle, .. } = Candidate::new(seed, &small);
        fs::create_dir_all(files.parent().unwrap_or(files))?;
        fs::write(files.with_extension("rs"), readable(&plain))?;
        fs::write(files.with_extension("oracle.rs"), readable(&oracle))?;
    }
    Ok(false)
}

/// All programs of the corpus, as one crate.
fn corpus(shop: &Workshop, dir: &Path) -> io::Result<bool> {
    let mut names = Vec::new();
    // There is no directory as long as nothing is in it.
    let entries = if dir.exists() {
        Some(fs::read_dir(dir)?)
    } else {
        None
    };
    for entry in entries.into_iter().flatten() {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if let Some(name) = name.strip_suffix(".oracle.rs") {
            names.push(name.to_owned());
        }
    }
    names.sort();
    let mut texts = Vec::new();
    for name in &names {
        let read = |end: &str| fs::read_to_string(dir.join(format!("{name}{end}")));
        texts.push(Candidate {
            seed: 1,
            plain: read(".rs")?,
            bare: None,
            oracle: read(".oracle.rs")?,
        });
    }
    let mut good = true;
    for (name, verdict) in names.iter().zip(shop.run(&texts, false)?) {
        if !matches!(verdict, Verdict::Agrees { .. }) {
            println!("{name}: {verdict:?}");
            good = false;
        }
    }
    println!("{} programs of the corpus", names.len());
    Ok(good)
}

/// As rustfmt prints it, where there is one.
fn readable(program: &str) -> String {
    use std::io::Write as _;
    use std::process::{Command, Stdio};
    let formatted = || -> io::Result<String> {
        let mut child = Command::new("rustfmt")
            .args(["--edition", "2024"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        child
            .stdin
            .take()
            .map_or(Ok(()), |mut stdin| stdin.write_all(program.as_bytes()))?;
        let output = child.wait_with_output()?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    };
    match formatted() {
        Ok(text) if !text.is_empty() => text,
        _ => program.to_owned(),
    }
}

#[expect(clippy::cast_precision_loss, reason = "it is printed as a rate")]
fn count(n: usize) -> f64 {
    n as f64
}
