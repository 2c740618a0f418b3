//! Rules of functions and methods of types that consist of a fixed number of floats, by functions in plain Rust.
//!
//! Such a function takes the numbers of all arguments as one slice, and returns those of the result; the library's macro has made its rules. The value is that of
//! the function or method itself.

use ad_runtime::libraries::nalgebra::library::{
    Const, Isometry, OPoint, Point, Quaternion, Rotation, SMatrix, Translation, Unit, UnitComplex,
    UnitQuaternion, Vector3,
};
use ad_runtime::libraries::nalgebra::{Element, Numbers};

use super::bodies;
use crate::{__private::mode, CoDual, Dual};

/// A value and its tangent, or a cotangent and its.
type D<T> = Dual<T, T>;

/// The numbers of all arguments.
struct All<A> {
    numbers: [A; 20],
    count: usize,
}

impl<A: Element> All<A> {
    fn new() -> Self {
        All {
            numbers: [A::ZERO; 20],
            count: 0,
        }
    }

    /// Room for as many.
    fn room(&self) -> Self {
        All {
            numbers: [A::ZERO; 20],
            count: self.count,
        }
    }

    fn push(&mut self, number: A) {
        self.numbers[self.count] = number;
        self.count += 1;
    }

    fn gather<X: Numbers<Elem = A>>(&mut self, x: &X) {
        x.put(&mut self.numbers[self.count..]);
        self.count += X::COUNT;
    }

    fn get(&self) -> &[A] {
        &self.numbers[..self.count]
    }

    fn get_mut(&mut self) -> &mut [A] {
        &mut self.numbers[..self.count]
    }
}

/// Takes the parts of arguments from the numbers of all.
struct Taking<'a, A>(&'a [A]);

impl<A: Element> Taking<'_, A> {
    fn pop(&mut self) -> A {
        let (first, rest) = (self.0[0], &self.0[1..]);
        self.0 = rest;
        first
    }

    fn own<X: Numbers<Elem = A>>(&mut self, like: &X) -> X {
        let x = like.with(self.0);
        self.0 = &self.0[X::COUNT..];
        x
    }

    fn add<X: Numbers<Elem = A>>(&mut self, to: &mut X) {
        to.add_numbers(self.0);
        self.0 = &self.0[X::COUNT..];
    }
}

/// The kinds of arguments: `number`, `own T`, `by T` (a reference); and results, `number` or `own T`.
macro_rules! kind {
    (@mode number) => { mode::Owned<A> };
    (@mode own $T:ty) => { mode::Owned<$T> };
    (@mode by $T:ty) => { mode::Ref<$T> };
    (@new number) => { mode::owned() };
    (@new own $T:ty) => { mode::owned() };
    (@new by $T:ty) => { mode::by_ref() };
    (@value number) => { A };
    (@value own $T:ty) => { $T };
    (@value by $T:ty) => { &$T };
    (@dual number) => { D<A> };
    (@dual own $T:ty) => { D<$T> };
    (@dual by $T:ty) => { Dual<&$T, &$T> };
    (@at number) => { () };
    (@at own $T:ty) => { () };
    (@at by $T:ty) => { CoDual<&$T, &mut $T> };
    (@at2 number) => { () };
    (@at2 own $T:ty) => { () };
    (@at2 by $T:ty) => { CoDual<Dual<&$T, &$T>, Dual<&mut $T, &mut $T>> };
    (@bar number) => { A };
    (@bar own $T:ty) => { $T };
    (@bar by $T:ty) => { () };
    (@bar2 number) => { D<A> };
    (@bar2 own $T:ty) => { D<$T> };
    (@bar2 by $T:ty) => { () };
    // The pullback keeps this, to make a cotangent of its shape.
    (@keep $x:ident number) => { () };
    (@keep $x:ident own $T:ty) => { $x.clone() };
    (@keep $x:ident by $T:ty) => { () };
    (@gather $all:ident, $x:expr, number) => { $all.push($x) };
    (@gather $all:ident, $x:expr, own $T:ty) => { $all.gather(&$x) };
    (@gather $all:ident, $x:expr, by $T:ty) => { $all.gather($x) };
    // The kept shape, and the pullback's argument.
    (@give $taking:ident, $x:ident, number) => { $taking.pop() };
    (@give $taking:ident, $x:ident, own $T:ty) => { $taking.own(&$x.0) };
    (@give $taking:ident, $x:ident, by $T:ty) => { $taking.add($x.1.1) };
    (@give2 $taking:ident, $dots:ident, $x:ident, number) => { Dual($taking.pop(), $dots.pop()) };
    (@give2 $taking:ident, $dots:ident, $x:ident, own $T:ty) => { Dual($taking.own(&$x.0), $dots.own(&$x.0)) };
    (@give2 $taking:ident, $dots:ident, $x:ident, by $T:ty) => {{
        $taking.add($x.1.1.0);
        $dots.add($x.1.1.1)
    }};
    // Results.
    (@numbers $y:expr, number) => { [$y] };
    (@numbers $y:expr, own $T:ty) => { core::array::from_fn(|k| $y.number(k)) };
    (@result $y:ident, $numbers:expr, number) => { $numbers[0] };
    (@result $y:ident, $numbers:expr, own $T:ty) => { $y.with(&$numbers) };
}

/// Functions of a type, which are called by path, and methods, whose receiver is the first argument.
macro_rules! plain {
    ($(
        $(#[$doc:meta])*
        $rules:ident for [$($generics:tt)*] [$($captured:ident)*] $t:ty {
            $($how:ident [$value:ident $modes:ident $frule:ident $rrule:ident $rrule_frule:ident]
                ($($x:ident: $kind:ident $($T:ty)?),*) -> $out:ident $($Y:ty)?; $result:expr, $body:ident;)*
        }
    )*) => {$(
        $(#[$doc])*
        #[allow(missing_docs, unused_variables, clippy::wrong_self_convention)]
        pub trait $rules<A: Element>: Numbers<Elem = A> {
            $(
                fn $value($($x: kind!(@value $kind $($T)?)),*) -> kind!(@value $out $($Y)?);
                plain! { @$how [$value $modes $frule $rrule $rrule_frule] [$($x: $kind [$($T)?]),*] $out [$($Y)?] $body }
            )*
        }
        #[allow(unused_variables)]
        impl<A: Element, $($generics)*> $rules<A> for $t {
            $(
                #[inline]
                fn $value($($x: kind!(@value $kind $($T)?)),*) -> kind!(@value $out $($Y)?) {
                    $result
                }
            )*
        }
    )*};
    (@path [$value:ident $modes:ident $frule:ident $rrule:ident $rrule_frule:ident] [$($x:ident: $kind:ident [$($T:ty)?]),*] $out:ident [$($Y:ty)?] $body:ident) => {
        #[inline(always)]
        fn $modes() -> ($(kind!(@mode $kind $($T)?),)*) {
            ($(kind!(@new $kind $($T)?),)*)
        }

        #[inline]
        fn $frule($($x: kind!(@dual $kind $($T)?)),*) -> D<kind!(@value $out $($Y)?)> {
            plain!(@frule [$value $body] [$($x: $kind [$($T)?]),*] $out [$($Y)?])
        }

        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule($($x: kind!(@value $kind $($T)?)),*) -> (
            kind!(@value $out $($Y)?),
            impl FnOnce(kind!(@value $out $($Y)?), $(kind!(@at $kind $($T)?)),*) -> ($(kind!(@bar $kind $($T)?),)*) + use<Self, A>,
        ) {
            plain!(@rrule [$value $body] [$($x: $kind [$($T)?]),*] $out [$($Y)?])
        }

        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule($($x: kind!(@dual $kind $($T)?)),*) -> (
            D<kind!(@value $out $($Y)?)>,
            impl FnOnce(D<kind!(@value $out $($Y)?)>, $(kind!(@at2 $kind $($T)?)),*) -> ($(kind!(@bar2 $kind $($T)?),)*) + use<Self, A>,
        ) {
            plain!(@rrule_frule [$value $body] [$($x: $kind [$($T)?]),*] $out [$($Y)?])
        }
    };
    (@method [$value:ident $modes:ident $frule:ident $rrule:ident $rrule_frule:ident] [$this:ident: by [$this_t:ty] $(, $x:ident: $kind:ident [$($T:ty)?])*] $out:ident [$($Y:ty)?] $body:ident) => {
        #[inline(always)]
        fn $modes(&self) -> (mode::Ref<Self>, $(kind!(@mode $kind $($T)?),)*) {
            (mode::by_ref(), $(kind!(@new $kind $($T)?),)*)
        }

        #[inline]
        fn $frule(&self, self_dot: &Self, $($x: kind!(@dual $kind $($T)?)),*) -> D<kind!(@value $out $($Y)?)> {
            let $this = Dual(self, self_dot);
            plain!(@frule [$value $body] [$this: by [Self] $(, $x: $kind [$($T)?])*] $out [$($Y)?])
        }

        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule(&self, $($x: kind!(@value $kind $($T)?)),*) -> (
            kind!(@value $out $($Y)?),
            impl FnOnce(kind!(@value $out $($Y)?), CoDual<&Self, &mut Self>, $(kind!(@at $kind $($T)?)),*) -> ((), $(kind!(@bar $kind $($T)?),)*) + use<Self, A>,
        ) {
            let $this = self;
            plain!(@rrule [$value $body] [$this: by [Self] $(, $x: $kind [$($T)?])*] $out [$($Y)?])
        }

        #[inline]
        #[allow(clippy::type_complexity)]
        fn $rrule_frule(&self, self_dot: &Self, $($x: kind!(@dual $kind $($T)?)),*) -> (
            D<kind!(@value $out $($Y)?)>,
            impl FnOnce(D<kind!(@value $out $($Y)?)>, CoDual<Dual<&Self, &Self>, Dual<&mut Self, &mut Self>>, $(kind!(@at2 $kind $($T)?)),*) -> ((), $(kind!(@bar2 $kind $($T)?),)*) + use<Self, A>,
        ) {
            let $this = Dual(self, self_dot);
            plain!(@rrule_frule [$value $body] [$this: by [Self] $(, $x: $kind [$($T)?])*] $out [$($Y)?])
        }
    };
    (@frule [$value:ident $body:ident] [$($x:ident: $kind:ident [$($T:ty)?]),*] $out:ident [$($Y:ty)?]) => {{
        let (mut values, mut dots) = (All::new(), All::new());
        $(
            kind!(@gather values, $x.0, $kind $($T)?);
            kind!(@gather dots, $x.1, $kind $($T)?);
        )*
        let y = Self::$value($($x.0),*);
        let y_dot = bodies::$body::__frule(Dual(values.get(), dots.get())).1;
        let y_dot = kind!(@result y, y_dot, $out $($Y)?);
        Dual(y, y_dot)
    }};
    (@rrule [$value:ident $body:ident] [$($x:ident: $kind:ident [$($T:ty)?]),*] $out:ident [$($Y:ty)?]) => {{
        let mut values = All::new();
        $(kind!(@gather values, $x, $kind $($T)?);)*
        let kept = ($(kind!(@keep $x $kind $($T)?),)*);
        let y = Self::$value($($x),*);
        let pullback = move |y_bar: kind!(@value $out $($Y)?), $($x: kind!(@at $kind $($T)?)),*| {
            let mut bars = values.room();
            let (_, pullback) = bodies::$body::__rrule(values.get());
            pullback(kind!(@numbers y_bar, $out $($Y)?), CoDual(values.get(), bars.get_mut()));
            let mut bars = Taking(bars.get());
            let ($($x,)*) = plain!(@zip kept; $($x),*);
            ($(kind!(@give bars, $x, $kind $($T)?),)*)
        };
        (y, pullback)
    }};
    (@rrule_frule [$value:ident $body:ident] [$($x:ident: $kind:ident [$($T:ty)?]),*] $out:ident [$($Y:ty)?]) => {{
        let (mut values, mut dots) = (All::new(), All::new());
        $(
            kind!(@gather values, $x.0, $kind $($T)?);
            kind!(@gather dots, $x.1, $kind $($T)?);
        )*
        let kept = ($({ let x = &$x.0; kind!(@keep x $kind $($T)?) },)*);
        let y = Self::$value($($x.0),*);
        let y_dot = bodies::$body::__frule(Dual(values.get(), dots.get())).1;
        let y_dot = kind!(@result y, y_dot, $out $($Y)?);
        let pullback = move |y_bar: D<kind!(@value $out $($Y)?)>, $($x: kind!(@at2 $kind $($T)?)),*| {
            let (mut bars, mut bar_dots) = (values.room(), values.room());
            let (_, pullback) = bodies::$body::__rrule_frule(Dual(values.get(), dots.get()));
            let y_bar = Dual(kind!(@numbers y_bar.0, $out $($Y)?), kind!(@numbers y_bar.1, $out $($Y)?));
            pullback(y_bar, CoDual(Dual(values.get(), dots.get()), Dual(bars.get_mut(), bar_dots.get_mut())));
            let (mut bars, mut bar_dots) = (Taking(bars.get()), Taking(bar_dots.get()));
            let ($($x,)*) = plain!(@zip kept; $($x),*);
            ($(kind!(@give2 bars, bar_dots, $x, $kind $($T)?),)*)
        };
        (Dual(y, y_dot), pullback)
    }};
    (@zip $kept:ident; $a:ident) => { (($kept.0, $a),) };
    (@zip $kept:ident; $a:ident, $b:ident) => { (($kept.0, $a), ($kept.1, $b)) };
    (@zip $kept:ident; $a:ident, $b:ident, $c:ident) => { (($kept.0, $a), ($kept.1, $b), ($kept.2, $c)) };
    (@zip $kept:ident; $a:ident, $b:ident, $c:ident, $d:ident) => { (($kept.0, $a), ($kept.1, $b), ($kept.2, $c), ($kept.3, $d)) };
}

plain! {
    /// The rules of functions and methods of this type.
    Rotation2Rules for [] [] Rotation<A, 2> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (angle: number) -> own Self; Rotation::<A, 2>::new(angle), rotation2;
        method [__inverse_value __inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule]
            (this: by Self) -> own Self; this.inverse(), transposed2;
        method [__transpose_value __transpose_modes __transpose_frule __transpose_rrule __transpose_rrule_frule]
            (this: by Self) -> own Self; this.transpose(), transposed2;
        method [__matrix_value __matrix_modes __matrix_frule __matrix_rrule __matrix_rrule_frule]
            (this: by Self) -> own SMatrix<A, 2, 2>; *this.matrix(), copy4;
        method [__into_inner_value __into_inner_modes __into_inner_frule __into_inner_rrule __into_inner_rrule_frule]
            (this: by Self) -> own SMatrix<A, 2, 2>; this.into_inner(), copy4;
        method [__angle_value __angle_modes __angle_frule __angle_rrule __angle_rrule_frule]
            (this: by Self) -> number; this.angle(), angle_of_matrix2;
    }
    /// The rules of functions and methods of this type.
    Rotation3Rules for [] [] Rotation<A, 3> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (axis: own Vector3<A>) -> own Self; Rotation::<A, 3>::new(axis), rotation3_of_vector;
        path [__from_scaled_axis_value __from_scaled_axis_path_modes __from_scaled_axis_path_frule __from_scaled_axis_rrule __from_scaled_axis_path_rrule_frule]
            (axis: own Vector3<A>) -> own Self; Rotation::<A, 3>::from_scaled_axis(axis), rotation3_of_vector;
        path [__from_axis_angle_value __from_axis_angle_path_modes __from_axis_angle_path_frule __from_axis_angle_rrule __from_axis_angle_path_rrule_frule]
            (axis: by Unit<Vector3<A>>, angle: number) -> own Self; Rotation::<A, 3>::from_axis_angle(axis, angle), rotation3_of_axis;
        path [__from_euler_angles_value __from_euler_angles_path_modes __from_euler_angles_path_frule __from_euler_angles_rrule __from_euler_angles_path_rrule_frule]
            (roll: number, pitch: number, yaw: number) -> own Self; Rotation::<A, 3>::from_euler_angles(roll, pitch, yaw), rotation3_of_euler;
        method [__inverse_value __inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule]
            (this: by Self) -> own Self; this.inverse(), transposed3;
        method [__transpose_value __transpose_modes __transpose_frule __transpose_rrule __transpose_rrule_frule]
            (this: by Self) -> own Self; this.transpose(), transposed3;
        method [__matrix_value __matrix_modes __matrix_frule __matrix_rrule __matrix_rrule_frule]
            (this: by Self) -> own SMatrix<A, 3, 3>; *this.matrix(), copy9;
        method [__into_inner_value __into_inner_modes __into_inner_frule __into_inner_rrule __into_inner_rrule_frule]
            (this: by Self) -> own SMatrix<A, 3, 3>; this.into_inner(), copy9;
        method [__transform_vector_value __transform_vector_modes __transform_vector_frule __transform_vector_rrule __transform_vector_rrule_frule]
            (this: by Self, v: by Vector3<A>) -> own Vector3<A>; this.transform_vector(v), turned_by_matrix;
        method [__transform_point_value __transform_point_modes __transform_point_frule __transform_point_rrule __transform_point_rrule_frule]
            (this: by Self, v: by Point<A, 3>) -> own Point<A, 3>; this.transform_point(v), turned_by_matrix;
        method [__inverse_transform_vector_value __inverse_transform_vector_modes __inverse_transform_vector_frule __inverse_transform_vector_rrule __inverse_transform_vector_rrule_frule]
            (this: by Self, v: by Vector3<A>) -> own Vector3<A>; this.inverse_transform_vector(v), turned_back_by_matrix;
        method [__inverse_transform_point_value __inverse_transform_point_modes __inverse_transform_point_frule __inverse_transform_point_rrule __inverse_transform_point_rrule_frule]
            (this: by Self, v: by Point<A, 3>) -> own Point<A, 3>; this.inverse_transform_point(v), turned_back_by_matrix;
    }
    /// The rules of functions and methods of this type.
    UnitQuaternionRules for [] [] UnitQuaternion<A> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (axis: own Vector3<A>) -> own Self; UnitQuaternion::<A>::new(axis), quaternion_of_vector;
        path [__from_scaled_axis_value __from_scaled_axis_path_modes __from_scaled_axis_path_frule __from_scaled_axis_rrule __from_scaled_axis_path_rrule_frule]
            (axis: own Vector3<A>) -> own Self; UnitQuaternion::<A>::from_scaled_axis(axis), quaternion_of_vector;
        path [__from_axis_angle_value __from_axis_angle_path_modes __from_axis_angle_path_frule __from_axis_angle_rrule __from_axis_angle_path_rrule_frule]
            (axis: by Unit<Vector3<A>>, angle: number) -> own Self; UnitQuaternion::<A>::from_axis_angle(axis, angle), quaternion_of_axis;
        path [__from_euler_angles_value __from_euler_angles_path_modes __from_euler_angles_path_frule __from_euler_angles_rrule __from_euler_angles_path_rrule_frule]
            (roll: number, pitch: number, yaw: number) -> own Self; UnitQuaternion::<A>::from_euler_angles(roll, pitch, yaw), quaternion_of_euler;
        path [__from_quaternion_value __from_quaternion_path_modes __from_quaternion_path_frule __from_quaternion_rrule __from_quaternion_path_rrule_frule]
            (q: own Quaternion<A>) -> own Self; UnitQuaternion::<A>::from_quaternion(q), unit4;
        method [__inverse_value __inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule]
            (this: by Self) -> own Self; this.inverse(), conjugate;
        method [__conjugate_value __conjugate_modes __conjugate_frule __conjugate_rrule __conjugate_rrule_frule]
            (this: by Self) -> own Self; this.conjugate(), conjugate;
        method [__angle_value __angle_modes __angle_frule __angle_rrule __angle_rrule_frule]
            (this: by Self) -> number; this.angle(), angle_of_quaternion;
        method [__to_rotation_matrix_value __to_rotation_matrix_modes __to_rotation_matrix_frule __to_rotation_matrix_rrule __to_rotation_matrix_rrule_frule]
            (this: by Self) -> own Rotation<A, 3>; this.to_rotation_matrix(), matrix_of_quaternion;
        method [__quaternion_value __quaternion_modes __quaternion_frule __quaternion_rrule __quaternion_rrule_frule]
            (this: by Self) -> own Quaternion<A>; *this.quaternion(), copy4;
        method [__transform_vector_value __transform_vector_modes __transform_vector_frule __transform_vector_rrule __transform_vector_rrule_frule]
            (this: by Self, v: by Vector3<A>) -> own Vector3<A>; this.transform_vector(v), turned_by_quaternion;
        method [__transform_point_value __transform_point_modes __transform_point_frule __transform_point_rrule __transform_point_rrule_frule]
            (this: by Self, v: by Point<A, 3>) -> own Point<A, 3>; this.transform_point(v), turned_by_quaternion;
        method [__inverse_transform_vector_value __inverse_transform_vector_modes __inverse_transform_vector_frule __inverse_transform_vector_rrule __inverse_transform_vector_rrule_frule]
            (this: by Self, v: by Vector3<A>) -> own Vector3<A>; this.inverse_transform_vector(v), turned_back_by_quaternion;
        method [__inverse_transform_point_value __inverse_transform_point_modes __inverse_transform_point_frule __inverse_transform_point_rrule __inverse_transform_point_rrule_frule]
            (this: by Self, v: by Point<A, 3>) -> own Point<A, 3>; this.inverse_transform_point(v), turned_back_by_quaternion;
    }
    /// The rules of functions and methods of this type.
    QuaternionRules for [] [] Quaternion<A> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (w: number, i: number, j: number, k: number) -> own Self; Quaternion::new(w, i, j, k), imaginary_first;
        method [__conjugate_value __conjugate_modes __conjugate_frule __conjugate_rrule __conjugate_rrule_frule]
            (this: by Self) -> own Self; this.conjugate(), conjugate;
        method [__normalize_value __normalize_modes __normalize_frule __normalize_rrule __normalize_rrule_frule]
            (this: by Self) -> own Self; this.normalize(), unit4;
    }
    /// The rules of functions and methods of this type.
    UnitComplexRules for [] [] UnitComplex<A> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (angle: number) -> own Self; UnitComplex::<A>::new(angle), on_circle;
        path [__from_angle_value __from_angle_path_modes __from_angle_path_frule __from_angle_rrule __from_angle_path_rrule_frule]
            (angle: number) -> own Self; UnitComplex::<A>::from_angle(angle), on_circle;
        method [__inverse_value __inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule]
            (this: by Self) -> own Self; this.inverse(), conjugate2;
        method [__conjugate_value __conjugate_modes __conjugate_frule __conjugate_rrule __conjugate_rrule_frule]
            (this: by Self) -> own Self; this.conjugate(), conjugate2;
    }
    /// The rules of functions and methods of this type.
    Point2Rules for [] [] OPoint<A, Const<2>> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (x: number, y: number) -> own Self; Point::<A, 2>::new(x, y), copy2;
        path [__from_value __from_path_modes __from_path_frule __from_rrule __from_path_rrule_frule]
            (x: own SMatrix<A, 2, 1>) -> own Self; Point::from(x), copy2;
    }
    /// The rules of functions and methods of this type.
    Point3Rules for [] [] OPoint<A, Const<3>> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (x: number, y: number, z: number) -> own Self; Point::<A, 3>::new(x, y, z), copy3;
        path [__from_value __from_path_modes __from_path_frule __from_rrule __from_path_rrule_frule]
            (x: own Vector3<A>) -> own Self; Point::from(x), copy3;
    }
    /// The rules of functions and methods of this type.
    Translation2Rules for [] [] Translation<A, 2> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (x: number, y: number) -> own Self; Translation::<A, 2>::new(x, y), copy2;
        path [__from_value __from_path_modes __from_path_frule __from_rrule __from_path_rrule_frule]
            (x: own SMatrix<A, 2, 1>) -> own Self; Translation::from(x), copy2;
    }
    /// The rules of functions and methods of this type.
    Translation3Rules for [] [] Translation<A, 3> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (x: number, y: number, z: number) -> own Self; Translation::<A, 3>::new(x, y, z), copy3;
        path [__from_value __from_path_modes __from_path_frule __from_rrule __from_path_rrule_frule]
            (x: own Vector3<A>) -> own Self; Translation::from(x), copy3;
    }
    /// The rules of functions and methods of this type.
    Isometry3Rules for [] [] Isometry<A, UnitQuaternion<A>, 3> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (t: own Vector3<A>, axis: own Vector3<A>) -> own Self; Isometry::<A, UnitQuaternion<A>, 3>::new(t, axis), isometry3;
        path [__from_parts_value __from_parts_path_modes __from_parts_path_frule __from_parts_rrule __from_parts_path_rrule_frule]
            (t: own Translation<A, 3>, turn: own UnitQuaternion<A>) -> own Self; Isometry::from_parts(t, turn), copy7;
        method [__inverse_value __inverse_modes __inverse_frule __inverse_rrule __inverse_rrule_frule]
            (this: by Self) -> own Self; this.inverse(), inverse_isometry3;
        method [__transform_point_value __transform_point_modes __transform_point_frule __transform_point_rrule __transform_point_rrule_frule]
            (this: by Self, p: by Point<A, 3>) -> own Point<A, 3>; this.transform_point(p), moved_by_isometry;
        method [__transform_vector_value __transform_vector_modes __transform_vector_frule __transform_vector_rrule __transform_vector_rrule_frule]
            (this: by Self, v: by Vector3<A>) -> own Vector3<A>; this.transform_vector(v), turned_by_isometry;
    }
    /// The rules of functions and methods of this type.
    Isometry2Rules for [] [] Isometry<A, UnitComplex<A>, 2> {
        path [__new_value __new_path_modes __new_path_frule __new_rrule __new_path_rrule_frule]
            (t: own SMatrix<A, 2, 1>, angle: number) -> own Self; Isometry::<A, UnitComplex<A>, 2>::new(t, angle), isometry2;
        path [__from_parts_value __from_parts_path_modes __from_parts_path_frule __from_parts_rrule __from_parts_path_rrule_frule]
            (t: own Translation<A, 2>, turn: own UnitComplex<A>) -> own Self; Isometry::from_parts(t, turn), copy4;
    }
    /// The rules of functions and methods of this type.
    CrossMatrixRules for [] [] SMatrix<A, 3, 1> {
        method [__cross_matrix_value __cross_matrix_modes __cross_matrix_frule __cross_matrix_rrule __cross_matrix_rrule_frule]
            (this: by Self) -> own SMatrix<A, 3, 3>; this.cross_matrix(), cross_matrix;
    }
}
