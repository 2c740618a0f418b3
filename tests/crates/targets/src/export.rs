//! The report for JavaScript: its length, and its bytes one by one. So no memory is shared.
#![allow(
    unsafe_code,
    reason = "an exported name must be the only one of its kind, which rustc can't see"
)]

extern crate std;

use std::string::String;
use std::sync::OnceLock;

static TEXT: OnceLock<String> = OnceLock::new();

fn text() -> &'static [u8] {
    TEXT.get_or_init(|| crate::report(&crate::entries()))
        .as_bytes()
}

/// How many bytes the report has.
#[unsafe(no_mangle)]
pub extern "C" fn report_length() -> u32 {
    u32::try_from(text().len()).unwrap_or(0)
}

/// One byte of it.
#[unsafe(no_mangle)]
pub extern "C" fn report_byte(at: u32) -> u32 {
    let at = usize::try_from(at).unwrap_or(usize::MAX);
    text().get(at).copied().unwrap_or(0).into()
}
