//! `unwrap`, `expect`, `unwrap_or` and `unwrap_or_default`, which `Option` and `Result` have in common.

/// A tangent has the variant of its primal.
pub(super) const SHAPE: &str = "a tangent of the same variant";

/// Their rules, for a trait of `Option`s or of `Result`s: the tangent's type, its variants with and without a value, the test
/// for the first, and the bound on errors so that they can be panicked with.
macro_rules! unwraps {
    ($Tangent:ty, $some:path, $none:expr, $is_some:ident $(, $($clause:tt)*)?) => {
        /// `x.unwrap()`.
        #[inline(always)]
        fn __unwrap_modes(&self) -> (mode::Owned<Self>,) {
            (mode::owned(),)
        }

        /// The value and its tangent.
        #[inline(always)]
        #[track_caller]
        fn __unwrap_frule(self, self_dot: $Tangent) -> Dual<Inner<Self>, Bar<Self>>
        $($($clause)*)?
        {
            Dual(self.own().unwrap(), self_dot.expect(SHAPE))
        }

        /// The value and its pullback.
        #[inline(always)]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn __unwrap_rrule(self) -> (Inner<Self>, impl FnOnce(Bar<Self>, ()) -> ($Tangent,) + use<Self>)
        $($($clause)*)?
        {
            (self.own().unwrap(), |y_bar, ()| ($some(y_bar),))
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn __unwrap_rrule_frule(
            self,
            self_dot: $Tangent,
        ) -> (
            Dual<Inner<Self>, Bar<Self>>,
            impl FnOnce(Dual<Bar<Self>, Bar<Self>>, ()) -> (Dual<$Tangent, $Tangent>,) + use<Self>,
        )
        $($($clause)*)?
        {
            (self.__unwrap_frule(self_dot), |Dual(y_bar, y_bar_dot), ()| (Dual($some(y_bar), $some(y_bar_dot)),))
        }

        /// `x.expect(message)`.
        #[inline(always)]
        fn __expect_modes(&self) -> (mode::Owned<Self>, mode::ConstRef<str>) {
            (mode::owned(), mode::constant_ref())
        }

        /// The value and its tangent.
        #[inline(always)]
        #[track_caller]
        fn __expect_frule(self, self_dot: $Tangent, message: &str) -> Dual<Inner<Self>, Bar<Self>>
        $($($clause)*)?
        {
            Dual(self.own().expect(message), self_dot.expect(SHAPE))
        }

        /// The value and its pullback.
        #[inline(always)]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn __expect_rrule(
            self,
            message: &str,
        ) -> (Inner<Self>, impl FnOnce(Bar<Self>, (), &str) -> ($Tangent, ()) + use<Self>)
        $($($clause)*)?
        {
            (self.own().expect(message), |y_bar, (), _: &str| ($some(y_bar), ()))
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[track_caller]
        #[allow(clippy::type_complexity)]
        fn __expect_rrule_frule(
            self,
            self_dot: $Tangent,
            message: &str,
        ) -> (
            Dual<Inner<Self>, Bar<Self>>,
            impl FnOnce(Dual<Bar<Self>, Bar<Self>>, (), &str) -> (Dual<$Tangent, $Tangent>, ()) + use<Self>,
        )
        $($($clause)*)?
        {
            (self.__expect_frule(self_dot, message), |Dual(y_bar, y_bar_dot), (), _: &str| {
                (Dual($some(y_bar), $some(y_bar_dot)), ())
            })
        }

        /// `x.unwrap_or(other)`.
        #[inline(always)]
        fn __unwrap_or_modes(&self) -> (mode::Owned<Self>, mode::Owned<Inner<Self>>) {
            (mode::owned(), mode::owned())
        }

        /// The value and its tangent.
        #[inline(always)]
        fn __unwrap_or_frule(
            self,
            self_dot: $Tangent,
            Dual(other, other_dot): Dual<Inner<Self>, Bar<Self>>,
        ) -> Dual<Inner<Self>, Bar<Self>> {
            Dual(self.own().unwrap_or(other), self_dot.unwrap_or(other_dot))
        }

        /// The cotangent goes to the one that was given.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn __unwrap_or_rrule(
            self,
            other: Inner<Self>,
        ) -> (Inner<Self>, impl FnOnce(Bar<Self>, (), ()) -> ($Tangent, Bar<Self>) + use<Self>) {
            let x = self.own();
            let zero = x.$is_some().then(|| other.zero_tangent());
            let pullback = move |y_bar, (), ()| match zero {
                Some(zero) => ($some(y_bar), zero),
                None => ($none, y_bar),
            };
            (x.unwrap_or(other), pullback)
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn __unwrap_or_rrule_frule(
            self,
            self_dot: $Tangent,
            other: Dual<Inner<Self>, Bar<Self>>,
        ) -> (
            Dual<Inner<Self>, Bar<Self>>,
            impl FnOnce(Dual<Bar<Self>, Bar<Self>>, (), ()) -> (Dual<$Tangent, $Tangent>, Dual<Bar<Self>, Bar<Self>>) + use<Self>,
        ) {
            let zero = self_dot.$is_some().then(|| other.0.zero_tangent());
            let pullback = move |Dual(y_bar, y_bar_dot), (), ()| match zero {
                Some(zero) => (Dual($some(y_bar), $some(y_bar_dot)), Dual(zero.clone(), zero)),
                None => (Dual($none, $none), Dual(y_bar, y_bar_dot)),
            };
            (self.__unwrap_or_frule(self_dot, other), pullback)
        }
    };
}

/// The rules of `unwrap_or_default`: the tangent's type, its variants with and without a value, and the test for the first.
macro_rules! defaults {
    ($Tangent:ty, $some:path, $none:expr, $is_some:ident) => {
        /// `x.unwrap_or_default()`.
        #[inline(always)]
        fn __unwrap_or_default_modes(&self) -> (mode::Owned<Self>,) {
            (mode::owned(),)
        }

        /// The value and its tangent.
        #[inline(always)]
        fn __unwrap_or_default_frule(self, self_dot: $Tangent) -> Dual<Inner<Self>, Bar<Self>> {
            let y = self.own().unwrap_or_default();
            let y_dot = match self_dot {
                $some(y_dot) => y_dot,
                _ => y.zero_tangent(),
            };
            Dual(y, y_dot)
        }

        /// The value and its pullback.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn __unwrap_or_default_rrule(
            self,
        ) -> (
            Inner<Self>,
            impl FnOnce(Bar<Self>, ()) -> ($Tangent,) + use<Self>,
        ) {
            let x = self.own();
            let given = x.$is_some();
            (x.unwrap_or_default(), move |y_bar, ()| {
                (if given { $some(y_bar) } else { $none },)
            })
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn __unwrap_or_default_rrule_frule(
            self,
            self_dot: $Tangent,
        ) -> (
            Dual<Inner<Self>, Bar<Self>>,
            impl FnOnce(Dual<Bar<Self>, Bar<Self>>, ()) -> (Dual<$Tangent, $Tangent>,) + use<Self>,
        ) {
            let given = self_dot.$is_some();
            let pullback = move |Dual(y_bar, y_bar_dot), ()| {
                (if given {
                    Dual($some(y_bar), $some(y_bar_dot))
                } else {
                    Dual($none, $none)
                },)
            };
            (self.__unwrap_or_default_frule(self_dot), pullback)
        }
    };
}
pub(super) use {defaults, unwraps};
