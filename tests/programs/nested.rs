//! Derivatives inside of differentiable functions: drivers of one function, called in the body of another.

mod confusion;
mod descent;
mod drivers;
mod kinds;
mod particle;
mod saddle;
mod signatures;
mod third;

/// Relative to the size of `want`, or absolute below 1.
#[track_caller]
fn close(got: f64, want: f64, tolerance: f64) {
    let error = (got - want).abs();
    assert!(
        error <= tolerance * want.abs().max(1.0),
        "got {got:e}, expected {want:e}: off by {error:e}"
    );
}
