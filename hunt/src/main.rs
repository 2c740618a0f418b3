//! Writes random differentiable programs, and checks their derivatives.

mod batch;
mod generate;
mod shrink;
mod tree;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
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
        #[arg(long, default_value_t = 60)]
        batch: usize,
        /// One of so many crates is built in release, too.
        #[arg(long, default_value_t = 5)]
        release_every: usize,
        /// No new crate is begun after so many minutes.
        #[arg(long)]
        minutes: Option<f64>,
        /// How many failing programs are shrunk.
        #[arg(long, default_value_t = 1)]
        shrink: usize,
        /// How many minutes shrinking one takes at most.
        #[arg(long, default_value_t = 10.0)]
        shrink_minutes: f64,
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
    let options = Options::parse();
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let root = root.canonicalize().unwrap_or(root);
    let dir = options.dir.unwrap_or_else(|| root.join("target/hunt"));
    let shop = Workshop { dir, root };
    let done = match options.command {
        Hunt::Run {
            seed,
            programs,
            batch,
            release_every,
            minutes,
            shrink,
            shrink_minutes,
        } => {
            let fresh = || {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                now.map_or(0, |t| t.as_secs())
            };
            let plan = Plan {
                seed: seed.unwrap_or_else(fresh),
                programs,
                batch,
                release_every,
                minutes,
                shrink,
                shrink_limit: Duration::from_secs_f64(60.0 * shrink_minutes),
            };
            plan.run(&shop)
        }
        Hunt::Show { seed } => {
            println!(
                "{}",
                readable(&generate::program(seed).print(Numbers::Plain))
            );
            Ok(true)
        }
        Hunt::Shrink { seed, name } => shrink_one(&shop, seed, name.as_deref()),
        Hunt::Corpus => corpus(&shop),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Plan {
    seed: u64,
    programs: usize,
    batch: usize,
    release_every: usize,
    minutes: Option<f64>,
    shrink: usize,
    shrink_limit: Duration,
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
}

impl Plan {
    fn run(&self, shop: &Workshop) -> io::Result<bool> {
        println!("seed {}", self.seed);
        let start = Instant::now();
        let mut seeds = Random::new(self.seed);
        let mut counts = Counts::default();
        let mut ran = 0;
        let mut crates = 0;
        while ran < self.programs {
            if self
                .minutes
                .is_some_and(|m| start.elapsed() > Duration::from_secs_f64(60.0 * m))
            {
                break;
            }
            let seeds: Vec<u64> = (0..self.batch.min(self.programs - ran))
                .map(|_| seeds.bits() >> 16)
                .collect();
            let texts: Vec<Candidate> = seeds
                .iter()
                .map(|s| Candidate::new(*s, &generate::program(*s)))
                .collect();
            let verdicts = shop.run(&texts, false)?;
            if (crates + 1) % self.release_every == 0 {
                counts.compare_release(shop, &seeds, &texts, &verdicts)?;
            }
            for (seed, verdict) in seeds.iter().zip(verdicts) {
                counts.add(*seed, verdict);
            }
            ran += seeds.len();
            crates += 1;
            eprintln!(
                "{ran} programs, {} agree, {} failures, {:.0} a minute",
                counts.agrees,
                counts.failures.len(),
                count(ran) / start.elapsed().as_secs_f64() * 60.0
            );
        }
        counts.print(ran, start.elapsed());
        for (seed, verdict) in counts.failures.iter().take(self.shrink) {
            let small = shrink::shrink(
                shop,
                *seed,
                generate::program(*seed),
                verdict,
                self.shrink_limit,
            )?;
            println!(
                "\n== program {seed}, shrunk: {verdict:?}\n{}",
                readable(&small.print(Numbers::Plain))
            );
        }
        Ok(counts.failures.is_empty())
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
            failure => {
                println!("failure: program {seed}: {failure:?}");
                self.failures.push((seed, failure));
            }
        }
    }

    /// What agreed in a debug build has to agree in a release build, with the same derivatives.
    fn compare_release(
        &mut self,
        shop: &Workshop,
        seeds: &[u64],
        texts: &[Candidate],
        verdicts: &[Verdict],
    ) -> io::Result<()> {
        let chosen: Vec<usize> = (0..texts.len())
            .filter(|i| matches!(verdicts[*i], Verdict::Agrees { .. }))
            .collect();
        let texts: Vec<Candidate> = chosen.iter().map(|i| texts[*i].clone()).collect();
        for (i, release) in chosen.iter().zip(shop.run(&texts, true)?) {
            self.released += 1;
            let failure = match (&verdicts[*i], release) {
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
            println!("failure in release: program {}: {failure:?}", seeds[*i]);
            self.failures.push((seeds[*i], failure));
        }
        Ok(())
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
        println!("{} failures", self.failures.len());
    }
}

/// A message without the names in it.
fn without_names(message: &str) -> String {
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

fn shrink_one(shop: &Workshop, seed: u64, name: Option<&str>) -> io::Result<bool> {
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
    if let Some(name) = name {
        let Candidate { plain, oracle, .. } = Candidate::new(seed, &small);
        let corpus = shop.root.join("hunt/corpus");
        fs::create_dir_all(&corpus)?;
        fs::write(corpus.join(format!("{name}.rs")), readable(&plain))?;
        fs::write(corpus.join(format!("{name}.oracle.rs")), readable(&oracle))?;
    }
    Ok(false)
}

/// All programs of the corpus, as one crate.
fn corpus(shop: &Workshop) -> io::Result<bool> {
    let dir = shop.root.join("hunt/corpus");
    let mut names = Vec::new();
    // There is no directory as long as nothing is in it.
    let entries = if dir.exists() {
        Some(fs::read_dir(&dir)?)
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
