//! Views, which generated code takes of an array and of its shadow: `x.row(i)` is `x.__row_view(i)`, and writes through it go to
//! `x.__row_view_mut(i)`. Of a list of views, `x.rows()`, there are the number and the view at a position.

use ::ndarray::{
    ArrayRef, ArrayView, ArrayView1, ArrayViewMut, ArrayViewMut1, Axis, Dimension, IntoDimension,
    Ix1, Ix2, RemoveAxis, Slice, SliceArg,
};

/// How many views there are.
#[derive(Clone, Copy, Debug)]
pub struct Count(usize);

impl Count {
    /// The number.
    #[allow(clippy::len_without_is_empty)]
    #[inline(always)]
    pub fn len(self) -> usize {
        self.0
    }
}

/// A view, and the same to be written through.
macro_rules! views {
    ($($(#[$doc:meta])* $shared:ident $unique:ident [$($generics:tt)*] ($($arg:ident: $Arg:ty),*) -> [$View:ident, $ViewMut:ident] <$E:ty>
        $(where [$($bound:tt)*])?; |$x:ident| $view:expr, $view_mut:expr;)*) => {$(
        $(#[$doc])*
        #[inline]
        #[track_caller]
        fn $shared $($generics)* (&self $(, $arg: $Arg)*) -> $View<'_, Self::Elem, $E> $(where $($bound)*)? {
            let $x = self.behind();
            $view
        }

        /// The same, to be written through.
        #[inline]
        #[track_caller]
        fn $unique $($generics)* (&mut self $(, $arg: $Arg)*) -> $ViewMut<'_, Self::Elem, $E> $(where $($bound)*)? {
            let $x = self.behind_mut();
            $view_mut
        }
    )*};
}

/// Arrays behind a reference.
pub trait Viewed {
    /// Its element.
    type Elem;
    /// The kind of shape.
    type Dim: Dimension;

    /// Itself.
    fn behind(&self) -> &ArrayRef<Self::Elem, Self::Dim>;

    /// Itself, to be written.
    fn behind_mut(&mut self) -> &mut ArrayRef<Self::Elem, Self::Dim>;
}

impl<A, D: Dimension> Viewed for ArrayRef<A, D> {
    type Elem = A;
    type Dim = D;

    #[inline(always)]
    fn behind(&self) -> &ArrayRef<A, D> {
        self
    }

    #[inline(always)]
    fn behind_mut(&mut self) -> &mut ArrayRef<A, D> {
        self
    }
}

/// Fewer axes by one.
type Smaller<X> = <<X as Viewed>::Dim as Dimension>::Smaller;

/// Views of arrays.
pub trait ArrayViews: Viewed {
    views! {
        /// `x.view()`.
        __view_view __view_view_mut [] () -> [ArrayView, ArrayViewMut] <Self::Dim>;
        |x| x.view(), x.view_mut();

        /// `x.t()`.
        __t_view __t_view_mut [] () -> [ArrayView, ArrayViewMut] <Self::Dim>;
        |x| x.t(), x.view_mut().reversed_axes();

        /// `x.diag()`.
        __diag_view __diag_view_mut [] () -> [ArrayView, ArrayViewMut] <Ix1>;
        |x| x.diag(), x.diag_mut();

        /// `x.slice(s![..])`.
        __slice_view __slice_view_mut [<I: SliceArg<Self::Dim>>] (part: I) -> [ArrayView, ArrayViewMut] <I::OutDim>;
        |x| x.slice(part), x.slice_mut(part);

        /// `x.slice_axis(axis, range)`.
        __slice_axis_view __slice_axis_view_mut [] (axis: Axis, range: Slice) -> [ArrayView, ArrayViewMut] <Self::Dim>;
        |x| x.slice_axis(axis, range), x.slice_axis_mut(axis, range);

        /// `x.index_axis(axis, i)`.
        __index_axis_view __index_axis_view_mut [] (axis: Axis, i: usize) -> [ArrayView, ArrayViewMut] <Smaller<Self>>
        where [Self::Dim: RemoveAxis];
        |x| x.index_axis(axis, i), x.index_axis_mut(axis, i);

        /// One of `x.axis_iter(axis)`.
        __axis_iter_item __axis_iter_item_mut [] (axis: Axis, i: usize) -> [ArrayView, ArrayViewMut] <Smaller<Self>>
        where [Self::Dim: RemoveAxis];
        |x| x.index_axis(axis, i), x.index_axis_mut(axis, i);

        /// One of `x.outer_iter()`.
        __outer_iter_item __outer_iter_item_mut [] (i: usize) -> [ArrayView, ArrayViewMut] <Smaller<Self>>
        where [Self::Dim: RemoveAxis];
        |x| x.index_axis(Axis(0), i), x.index_axis_mut(Axis(0), i);

        /// One of `x.axis_chunks_iter(axis, n)`.
        __axis_chunks_iter_item __axis_chunks_iter_item_mut [] (axis: Axis, n: usize, k: usize) -> [ArrayView, ArrayViewMut] <Self::Dim>;
        |x| x.slice_axis(axis, chunk(x.len_of(axis), n, k)), x.slice_axis_mut(axis, chunk(x.len_of(axis), n, k));

        /// One of `x.lanes(axis)`.
        __lanes_item __lanes_item_mut [] (axis: Axis, k: usize) -> [ArrayView, ArrayViewMut] <Ix1>
        where [Self::Dim: RemoveAxis];
        |x| lane(x, axis, k), lane_mut(x, axis, k);

        /// One of `x.rows()`.
        __rows_item __rows_item_mut [] (k: usize) -> [ArrayView, ArrayViewMut] <Ix1>
        where [Self::Dim: RemoveAxis];
        |x| lane(x, Axis(x.ndim() - 1), k), lane_mut(x, Axis(x.ndim() - 1), k);

        /// One of `x.columns()`.
        __columns_item __columns_item_mut [] (k: usize) -> [ArrayView, ArrayViewMut] <Ix1>
        where [Self::Dim: RemoveAxis];
        |x| lane(x, Axis(0), k), lane_mut(x, Axis(0), k);

        /// One of `x.windows(n)`.
        __windows_item __windows_item_mut [<W: IntoDimension<Dim = Self::Dim>>] (size: W, k: usize) -> [ArrayView, ArrayViewMut] <Self::Dim>;
        |x| window(x, &size.into_dimension(), k), window_mut(x, &size.into_dimension(), k);
    }

    /// The order in which `x.fold(init, f)` visits the elements.
    #[inline]
    fn __memory_order(&self) -> Order {
        Order::of(self.behind())
    }

    /// Panics if the library may visit the elements in another order than the logical one.
    #[inline]
    #[track_caller]
    fn __check_order(&self) {
        assert!(
            is_in_order(self.behind()),
            "an element's result depends on those that were visited before it, and `ndarray` visits an array that isn't in standard layout in \
             another order than the derivative rules: loop over `iter()`, or copy the array with `as_standard_layout()`"
        );
    }

    /// How many there are in `x.axis_iter(axis)`.
    #[inline]
    fn __axis_iter_count(&self, axis: Axis) -> Count {
        Count(self.behind().len_of(axis))
    }

    /// How many there are in `x.outer_iter()`.
    #[inline]
    fn __outer_iter_count(&self) -> Count {
        Count(self.behind().len_of(Axis(0)))
    }

    /// How many there are in `x.axis_chunks_iter(axis, n)`.
    #[inline]
    #[track_caller]
    fn __axis_chunks_iter_count(&self, axis: Axis, n: usize) -> Count {
        assert!(n != 0, "a chunk of no elements");
        Count(self.behind().len_of(axis).div_ceil(n))
    }

    /// How many there are in `x.lanes(axis)`.
    #[inline]
    fn __lanes_count(&self, axis: Axis) -> Count {
        lanes(self.behind(), axis)
    }

    /// How many there are in `x.rows()`.
    #[inline]
    fn __rows_count(&self) -> Count {
        let x = self.behind();
        lanes(x, Axis(x.ndim().saturating_sub(1)))
    }

    /// How many there are in `x.columns()`.
    #[inline]
    fn __columns_count(&self) -> Count {
        lanes(self.behind(), Axis(0))
    }

    /// How many there are in `x.windows(n)`.
    #[inline]
    #[track_caller]
    fn __windows_count<W: IntoDimension<Dim = Self::Dim>>(&self, size: W) -> Count {
        let size = size.into_dimension();
        assert!(
            size.slice().iter().all(|n| *n != 0),
            "a window of no elements"
        );
        Count(places(self.behind(), &size).product())
    }

    /// `x.as_slice().unwrap()`.
    #[inline]
    #[track_caller]
    fn __as_slice_view(&self) -> &[Self::Elem] {
        self.behind().as_slice().expect(NOT_IN_ORDER)
    }

    /// The same, to be written.
    #[inline]
    #[track_caller]
    fn __as_slice_view_mut(&mut self) -> &mut [Self::Elem] {
        self.behind_mut().as_slice_mut().expect(NOT_IN_ORDER)
    }

    /// The index of the element at a position in logical order.
    #[inline]
    #[track_caller]
    fn __index_at(&self, k: usize) -> <Self::Dim as Dimension>::Pattern {
        at(self.behind(), k).into_pattern()
    }

    /// The element at a position in logical order.
    #[inline]
    #[track_caller]
    fn __elements_item(&self, k: usize) -> &Self::Elem {
        let x = self.behind();
        match x.as_slice() {
            Some(slice) => &slice[k],
            None => &x[at(x, k)],
        }
    }

    /// The same, to be written.
    #[inline]
    #[track_caller]
    fn __elements_item_mut(&mut self, k: usize) -> &mut Self::Elem {
        let x = self.behind_mut();
        if x.is_standard_layout() {
            return &mut x.as_slice_mut().expect(NOT_IN_ORDER)[k];
        }
        let index = at(x, k);
        &mut x[index]
    }

    /// The element that is visited as the `k`-th in an order.
    #[inline]
    #[track_caller]
    fn __in_memory_order_item(&self, order: Order, k: usize) -> &Self::Elem {
        match order.axes {
            None => self.__elements_item(k),
            Some(_) => &self.behind()[order.index(self.behind(), k)],
        }
    }

    /// The same, to be written.
    #[inline]
    #[track_caller]
    fn __in_memory_order_item_mut(&mut self, order: Order, k: usize) -> &mut Self::Elem {
        match order.axes {
            None => self.__elements_item_mut(k),
            Some(_) => {
                let index = order.index(self.behind(), k);
                &mut self.behind_mut()[index]
            }
        }
    }
}
impl<X: Viewed + ?Sized> ArrayViews for X {}

/// True if methods of the library visit the elements in logical order, whatever arrays they visit along with these.
fn is_in_order<A, D: Dimension>(x: &ArrayRef<A, D>) -> bool {
    let long = (0..x.ndim()).map(Axis).filter(|axis| x.len_of(*axis) > 1);
    x.is_standard_layout()
        || long
            .map(|axis| x.stride_of(axis))
            .rev()
            .is_sorted_by(|a, b| 0 < *a && a < b)
}

/// The order in which the elements of an array are visited: that of an array with other axes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Order {
    /// Which axes come first; none if the order is the logical one.
    axes: Option<[u8; Order::MOST]>,
    /// The axes that are visited from their end, a bit for each.
    inverted: u8,
}

impl Order {
    /// The most axes of an array that is visited in another order than the logical one.
    const MOST: usize = 8;

    #[track_caller]
    fn of<A, D: Dimension>(x: &ArrayRef<A, D>) -> Order {
        let n = x.ndim();
        let mut order = Order {
            axes: None,
            inverted: 0,
        };
        if n == 0 || x.is_standard_layout() {
            return order;
        }
        assert!(
            n <= Order::MOST,
            "`fold` of an array with more than {} axes that isn't in standard layout is not supported with derivatives",
            Order::MOST
        );
        let mut axes: [u8; Order::MOST] = [0, 1, 2, 3, 4, 5, 6, 7];
        let len = |axis: u8| x.len_of(Axis(axis.into()));
        let stride = |axis: u8| x.stride_of(Axis(axis.into()));
        let distance = |axis: u8| stride(axis).unsigned_abs();
        if x.as_slice_memory_order().is_some() {
            axes[..n].sort_by_key(|axis| core::cmp::Reverse(distance(*axis)));
            let backwards = axes[..n]
                .iter()
                .filter(|axis| len(**axis) > 1 && stride(**axis) < 0);
            order.inverted = backwards.map(|axis| 1 << axis).sum();
        } else if n > 1 {
            let long = axes[..n].iter().copied().filter(|axis| len(*axis) > 1);
            if let Some(nearest) = long.min_by_key(|axis| distance(*axis)) {
                axes.swap(n - 1, usize::from(nearest));
            }
        }
        order.axes = Some(axes);
        order
    }

    /// The index of the element that is visited as the `k`-th.
    #[track_caller]
    fn index<A, D: Dimension>(self, x: &ArrayRef<A, D>, mut k: usize) -> D {
        let Some(axes) = self.axes else {
            return at(x, k);
        };
        let mut index = D::zeros(x.ndim());
        for axis in axes[..x.ndim()].iter().rev().map(|axis| usize::from(*axis)) {
            let n = x.shape()[axis];
            let i = k % n;
            index[axis] = if self.inverted >> axis & 1 == 1 {
                n - 1 - i
            } else {
                i
            };
            k /= n;
        }
        index
    }
}

/// Why there is no slice.
const NOT_IN_ORDER: &str =
    "the elements don't stand in memory one after the other in logical order";

/// The element of a chunk.
fn chunk(len: usize, n: usize, k: usize) -> Slice {
    Slice::from(k * n..len.min((k + 1) * n))
}

/// The number of lanes along an axis.
fn lanes<A, D: Dimension>(x: &ArrayRef<A, D>, axis: Axis) -> Count {
    let other = x.shape().iter().enumerate();
    Count(
        other
            .filter(|(k, _)| *k != axis.index())
            .map(|(_, n)| n)
            .product(),
    )
}

/// The positions in a shape, but for one axis, of the `k`-th element in logical order.
fn position(shape: &[usize], axis: Option<Axis>, mut k: usize, set: &mut dyn FnMut(usize, usize)) {
    for (at, n) in shape.iter().enumerate().rev() {
        if axis.is_none_or(|axis| axis.index() != at) {
            set(at, k % n);
            k /= n;
        }
    }
}

/// The index of the element that comes `k`-th in logical order.
fn at<A, D: Dimension>(x: &ArrayRef<A, D>, k: usize) -> D {
    assert!(
        k < x.len(),
        "index out of bounds: the len is {} but the index is {k}",
        x.len()
    );
    let mut index = D::zeros(x.ndim());
    position(x.shape(), None, k, &mut |axis, i| index[axis] = i);
    index
}

/// One of the lanes along an axis.
fn lane<A, D: RemoveAxis>(x: &ArrayRef<A, D>, axis: Axis, k: usize) -> ArrayView1<'_, A> {
    if let Ok(matrix) = x.view().into_dimensionality::<Ix2>() {
        return matrix.index_axis_move(Axis(1 - axis.index()), k);
    }
    let mut view = x.view().into_dyn();
    let mut found = [0; 8];
    position(x.shape(), Some(axis), k, &mut |at, i| found[at] = i);
    for at in (0..x.ndim()).rev().filter(|at| *at != axis.index()) {
        view = view.index_axis_move(Axis(at), found[at]);
    }
    match view.into_dimensionality() {
        Ok(lane) => lane,
        Err(_) => unreachable!("one axis is left"),
    }
}

/// The same, to be written through.
fn lane_mut<A, D: RemoveAxis>(
    x: &mut ArrayRef<A, D>,
    axis: Axis,
    k: usize,
) -> ArrayViewMut1<'_, A> {
    if x.ndim() == 2 {
        return match x.view_mut().into_dimensionality::<Ix2>() {
            Ok(matrix) => matrix.index_axis_move(Axis(1 - axis.index()), k),
            Err(_) => unreachable!("there are two axes"),
        };
    }
    let mut found = [0; 8];
    position(x.shape(), Some(axis), k, &mut |at, i| found[at] = i);
    let n = x.ndim();
    let mut view = x.view_mut().into_dyn();
    for at in (0..n).rev().filter(|at| *at != axis.index()) {
        view = view.index_axis_move(Axis(at), found[at]);
    }
    match view.into_dimensionality() {
        Ok(lane) => lane,
        Err(_) => unreachable!("one axis is left"),
    }
}

/// How many places there are for a window along each axis.
fn places<A, D: Dimension>(x: &ArrayRef<A, D>, size: &D) -> impl Iterator<Item = usize> {
    let shape = x.shape().iter().zip(size.slice());
    shape.map(|(n, size)| (n + 1).saturating_sub(*size))
}

/// One of the windows.
fn window<'a, A, D: Dimension>(x: &'a ArrayRef<A, D>, size: &D, k: usize) -> ArrayView<'a, A, D> {
    let mut view = x.view();
    let mut found = size.clone();
    let mut shape = size.clone();
    for (axis, n) in places(x, size).enumerate() {
        shape[axis] = n;
    }
    position(shape.slice(), None, k, &mut |at, i| found[at] = i);
    for (at, n) in size.slice().iter().enumerate() {
        view.slice_axis_inplace(Axis(at), Slice::from(found[at]..found[at] + n));
    }
    view
}

/// The same, to be written through.
fn window_mut<'a, A, D: Dimension>(
    x: &'a mut ArrayRef<A, D>,
    size: &D,
    k: usize,
) -> ArrayViewMut<'a, A, D> {
    let mut found = size.clone();
    let mut shape = size.clone();
    for (axis, n) in places(x, size).enumerate() {
        shape[axis] = n;
    }
    position(shape.slice(), None, k, &mut |at, i| found[at] = i);
    let mut view = x.view_mut();
    for (at, n) in size.slice().iter().enumerate() {
        view.slice_axis_inplace(Axis(at), Slice::from(found[at]..found[at] + n));
    }
    view
}

/// Views of matrices.
pub trait MatrixViews: Viewed<Dim = Ix2> {
    views! {
        /// `x.row(i)`.
        __row_view __row_view_mut [] (i: usize) -> [ArrayView, ArrayViewMut] <Ix1>;
        |x| x.row(i), x.row_mut(i);

        /// `x.column(j)`.
        __column_view __column_view_mut [] (j: usize) -> [ArrayView, ArrayViewMut] <Ix1>;
        |x| x.column(j), x.column_mut(j);
    }
}
impl<X: Viewed<Dim = Ix2> + ?Sized> MatrixViews for X {}
