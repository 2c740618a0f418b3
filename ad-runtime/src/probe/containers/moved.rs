//! The rules of methods that put elements in or take them out, for traits of `Vec`s and of `VecDeque`s. Where they are used,
//! `list()` is the list itself, `Tans<Self>` its tangent's type, `Bar<Self>` that of an element's, and `Unit` the dual of nothing.

/// Methods that put an element in.
macro_rules! puts_in {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*)
        apply |$v:ident, $x:ident| $apply:expr, undo $undo:expr, of the list itself $back:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $modes(&self) -> (mode::Mut<Self>, $(mode::Const<$C>,)* mode::Owned<Self::Element>) {
            (mode::by_mut(), $(mode::constant::<$C>(),)* mode::owned())
        }

        /// Puts the tangent in, too.
        #[inline(always)]
        fn $frule(&mut self, $v: &mut Tans<Self>, $($c: $C,)* Dual(x, x_dot): Dual<Self::Element, Bar<Self>>) -> Unit {
            let $x = x_dot;
            $apply;
            let ($v, $x) = (self.list(), x);
            $apply;
            Dual((), NoTangent)
        }

        /// The pullback takes the element out.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &mut self,
            $($c: $C,)*
            $x: Self::Element,
        ) -> (
            (),
            impl FnOnce(NoTangent, At<'_, Self>, $(puts_in!(@unit $c),)* ()) -> ((), $(puts_in!(@unit $c),)* Bar<Self>) + use<Self>,
        ) {
            let $v = self.list();
            $apply;
            ((), move |_, CoDual(x, $v), $(puts_in!(@wild $c),)* ()| {
                let x_bar = $undo;
                let $v = x.list();
                $back;
                ((), $({ let _ = $c; },)* x_bar)
            })
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &mut self,
            self_dot: &mut Tans<Self>,
            $($c: $C,)*
            x: Dual<Self::Element, Bar<Self>>,
        ) -> (
            Unit,
            impl FnOnce(Dual<NoTangent, NoTangent>, At2<'_, Self>, $(puts_in!(@unit $c),)* ()) -> ((), $(puts_in!(@unit $c),)* Dual<Bar<Self>, Bar<Self>>) + use<Self>,
        ) {
            let pullback = move |_: Dual<NoTangent, NoTangent>, CoDual(Dual(x, x_dot), Dual(bar, bar_dot)): At2<'_, Self>, $(puts_in!(@wild $c): puts_in!(@unit $c),)* (): ()| {
                let $v = bar;
                let x_bar = $undo;
                let $v = bar_dot;
                let x_bar_dot = $undo;
                let $v = x_dot;
                $back;
                let $v = x.list();
                $back;
                ((), $({ let _ = $c; },)* Dual(x_bar, x_bar_dot))
            };
            (self.$frule(self_dot, $($c,)* x), pullback)
        }
    )*};
    (@unit $c:ident) => { () };
    (@wild $c:ident) => { () };
}

/// Methods that take something out, of a type that is `$Out` of the elements'.
macro_rules! takes_out {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty),*) -> $Out:ident
        apply |$v:ident, $y:ident| $apply:expr, undo $undo:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Mut<Self>, $(mode::Const<$C>,)*) {
            (mode::by_mut(), $(mode::constant::<$C>(),)*)
        }

        /// Takes the tangent out, too.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $frule(&mut self, $v: &mut Tans<Self>, $($c: $C,)*) -> Dual<$Out<Self::Element>, $Out<Bar<Self>>> {
            let y_dot = $apply;
            let $v = self.list();
            Dual($apply, y_dot)
        }

        /// The pullback puts it back.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &mut self,
            $($c: $C,)*
        ) -> (
            $Out<Self::Element>,
            impl FnOnce($Out<Bar<Self>>, At<'_, Self>, $(takes_out!(@unit $c),)*) -> ((), $(takes_out!(@unit $c),)*) + use<Self>,
        ) {
            let $v = self.list();
            let y = $apply;
            let again = y.clone();
            (y, move |$y, CoDual(x, $v), $(takes_out!(@wild $c),)*| {
                $undo;
                let ($v, $y) = (x.list(), again);
                $undo;
                ((), $({ let _ = $c; },)*)
            })
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &mut self,
            self_dot: &mut Tans<Self>,
            $($c: $C,)*
        ) -> (
            Dual<$Out<Self::Element>, $Out<Bar<Self>>>,
            impl FnOnce(Dual<$Out<Bar<Self>>, $Out<Bar<Self>>>, At2<'_, Self>, $(takes_out!(@unit $c),)*) -> ((), $(takes_out!(@unit $c),)*) + use<Self>,
        ) {
            let y = self.$frule(self_dot, $($c,)*);
            let again = Dual(y.0.clone(), y.1.clone());
            (y, move |Dual(y_bar, y_bar_dot), CoDual(Dual(x, x_dot), Dual(bar, bar_dot)), $(takes_out!(@wild $c),)*| {
                let ($v, $y) = (bar, y_bar);
                $undo;
                let ($v, $y) = (bar_dot, y_bar_dot);
                $undo;
                let ($v, $y) = (x_dot, again.1);
                $undo;
                let ($v, $y) = (x.list(), again.0);
                $undo;
                ((), $({ let _ = $c; },)*)
            })
        }
    )*};
    (@unit $c:ident) => { () };
    (@wild $c:ident) => { () };
}

/// Methods that drop the elements from a length on.
macro_rules! drops {
    ($(
        $(#[$doc:meta])*
        [$modes:ident $frule:ident $rrule:ident $rrule_frule:ident] ($($c:ident: $C:ty)?) to $n:expr;
    )*) => {$(
        $(#[$doc])*
        #[inline(always)]
        fn $modes(&self) -> (mode::Mut<Self>, $(mode::Const<$C>,)?) {
            (mode::by_mut(), $(mode::constant::<$C>(),)?)
        }

        /// Drops the tangents, too.
        #[inline(always)]
        fn $frule(&mut self, self_dot: &mut Tans<Self>, $($c: $C,)?) -> Unit {
            self.list().truncate($n);
            self_dot.truncate($n);
            Dual((), NoTangent)
        }

        /// The pullback puts dropped elements back, with the cotangent zero.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule(
            &mut self,
            $($c: $C,)?
        ) -> ((), impl FnOnce(NoTangent, At<'_, Self>, $(drops!(@unit $c),)?) -> ((), $(drops!(@unit $c),)?) + use<Self>) {
            let v = self.list();
            let dropped: Vec<_> = v.drain($n.min(v.len())..).collect();
            ((), move |_, CoDual(x, bar), $(drops!(@wild $c),)?| {
                bar.extend(Self::Element::__zero_tangents(&dropped));
                x.list().extend(dropped);
                ((), $({ let _ = $c; },)?)
            })
        }

        /// The forward transform of the same.
        #[inline(always)]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(
            &mut self,
            self_dot: &mut Tans<Self>,
            $($c: $C,)?
        ) -> (
            Unit,
            impl FnOnce(Dual<NoTangent, NoTangent>, At2<'_, Self>, $(drops!(@unit $c),)?) -> ((), $(drops!(@unit $c),)?) + use<Self>,
        ) {
            let v = self.list();
            let n = $n.min(v.len());
            let (dropped, dropped_dot): (Vec<_>, Vec<_>) = (v.drain(n..).collect(), self_dot.drain(n..).collect());
            (Dual((), NoTangent), move |_, CoDual(Dual(x, x_dot), Dual(bar, bar_dot)), $(drops!(@wild $c),)?| {
                bar.extend(Self::Element::__zero_tangents(&dropped));
                bar_dot.extend(Self::Element::__zero_tangents(&dropped));
                x.list().extend(dropped);
                x_dot.extend(dropped_dot);
                ((), $({ let _ = $c; },)?)
            })
        }
    )*};
    (@unit $c:ident) => { () };
    (@wild $c:ident) => { () };
}

pub(super) use {drops, puts_in, takes_out};
