//! The message of a panic, and where it is reported.

use std::cell::RefCell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

/// A panic that was caught.
#[derive(Debug, Default)]
pub(crate) struct Caught {
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: u32,
}

thread_local! {
    static CAUGHT: RefCell<Option<Caught>> = const { RefCell::new(None) };
}

/// Runs what has to panic.
#[track_caller]
pub(crate) fn caught(run: impl FnOnce()) -> Caught {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let noted = CAUGHT.with_borrow_mut(|caught| {
                let (Some(caught), Some(place)) = (caught, info.location()) else {
                    return false;
                };
                let payload = info.payload();
                let text = payload.downcast_ref::<&str>().map(ToString::to_string);
                let message = text.or_else(|| payload.downcast_ref::<String>().cloned());
                *caught = Caught {
                    message: message.unwrap_or_default(),
                    file: place.file().to_owned(),
                    line: place.line(),
                };
                true
            });
            if !noted {
                before(info);
            }
        }));
    });
    CAUGHT.set(Some(Caught::default()));
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    let caught = CAUGHT.take().expect("nothing else takes it");
    assert!(result.is_err(), "it did not panic");
    caught
}

/// The call panics with this message, which is reported at the call.
macro_rules! refused {
    ($call:expr, $message:expr $(,)?) => {{
        let caught = $crate::panics::caught(|| {
            let _ = $call;
        });
        assert_eq!(caught.message, $message);
        assert_eq!(caught.file, file!());
        // The call stands in the lines of this macro's arguments.
        let lines = line!()..line!() + 6;
        assert!(
            lines.contains(&caught.line),
            "line {}, not {lines:?}",
            caught.line
        );
    }};
}
pub(crate) use refused;
