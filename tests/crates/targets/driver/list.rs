//! The targets that are tried, and how their programs run here.

use std::fmt;

/// Where functions such as `sin` come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Functions {
    /// From the standard library of the target.
    Std,
    /// From the crate `libm`, in builds of `chainrule` without the standard library.
    Libm,
}

impl fmt::Display for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Functions::Std => "std",
            Functions::Libm => "libm",
        })
    }
}

/// How a program runs.
#[derive(Clone, Debug)]
pub(crate) enum How {
    /// As it is.
    Native,
    /// Under Node, as WebAssembly.
    Node,
    /// Under an emulator, with libraries of the target in a folder.
    Emulated {
        emulator: &'static str,
        libraries: &'static str,
    },
    /// Not at all: the library is built.
    Built,
}

/// One target.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) triple: String,
    /// The linker, if the default one doesn't do.
    pub(crate) linker: Option<&'static str>,
    pub(crate) how: How,
}

/// All targets, this machine first.
pub(crate) fn all(host: &str, functions: Functions) -> Vec<Target> {
    let target = |triple: &str, linker, how| Target {
        triple: triple.to_string(),
        linker,
        how,
    };
    let host = target(host, None, How::Native);
    let wasm = target("wasm32-unknown-unknown", None, How::Node);
    let s390x = target(
        "s390x-unknown-linux-gnu",
        Some("s390x-linux-gnu-gcc"),
        How::Emulated {
            emulator: "qemu-s390x",
            libraries: "/usr/s390x-linux-gnu",
        },
    );
    let aarch64 = target(
        "aarch64-unknown-linux-gnu",
        Some("aarch64-linux-gnu-gcc"),
        How::Emulated {
            emulator: "qemu-aarch64",
            libraries: "/usr/aarch64-linux-gnu",
        },
    );
    // With pointers of 32 bits, for processors that run it as it is. Its C library comes with Rust.
    let i686 = target("i686-unknown-linux-musl", Some("rust-lld"), How::Native);
    let thumb = target("thumbv7em-none-eabi", None, How::Built);
    match functions {
        Functions::Std => vec![host, i686, wasm, aarch64, s390x],
        Functions::Libm => vec![host, wasm, s390x, thumb],
    }
    .into_iter()
    .fold(Vec::new(), |mut all: Vec<Target>, target| {
        // This machine may be one of the others.
        if all.iter().all(|other| other.triple != target.triple) {
            all.push(target);
        }
        all
    })
}
