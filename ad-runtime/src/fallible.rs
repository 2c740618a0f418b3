//! Results that may hold no value: `Option` and `Result`.

/// `Option` or `Result`, by whatever name. The types of drivers whose result may be absent are made from that of the function.
pub trait Fallible {
    /// The type of the value.
    type Value;
    /// The type with another value.
    type With<T>;

    /// True of `None` and of an error.
    fn is_absent(&self) -> bool;
}

impl<V> Fallible for Option<V> {
    type Value = V;
    type With<T> = Option<T>;

    #[inline]
    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<V, E> Fallible for Result<V, E> {
    type Value = V;
    type With<T> = Result<T, E>;

    #[inline]
    fn is_absent(&self) -> bool {
        self.is_err()
    }
}
