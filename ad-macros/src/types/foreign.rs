//! Arrays of libraries: their elements, the results of their methods, and which of these are views.
//!
//! A view is a reference: writes to it are writes to the array. Its shadow is the same view of the array's shadow, which the runtime takes
//! (`__row_view`, `__row_view_mut`), so that the compiler knows names of methods, and nothing of the types behind them.
//!
//! Closures over elements become loops (`hir/arrays.rs`, `lower/foreign.rs`). Views of `nalgebra` (`hir/matrices.rs`) are copies instead,
//! which are put back when they are written.

use std::rc::Rc;

use super::infer::{Infer, inactive};
use super::ty::{Type, from_written};
use crate::enclosing::{Callees, lists};
use crate::types::Declared;

/// An array of a library.
#[derive(Clone, Debug)]
pub(crate) struct Foreign {
    pub(crate) elem: Type,
    /// How many axes it has, if that is known.
    pub(crate) rank: Option<usize>,
    pub(crate) form: Form,
    /// As it is written.
    pub(crate) written: Option<Rc<syn::Type>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    Owned,
    /// The array behind a view. The view itself is a reference.
    Viewed,
    /// A list of views, `x.rows()`, whose items have these axes; and whether these are written through.
    Views(bool),
}

impl Foreign {
    fn with(&self, rank: Option<usize>, form: Form) -> Foreign {
        Foreign {
            elem: self.elem.clone(),
            rank,
            form,
            written: None,
        }
    }

    /// An array of which nothing else is known.
    pub(super) fn unknown(elem: Type) -> Type {
        Foreign {
            elem,
            rank: None,
            form: Form::Owned,
            written: None,
        }
        .ty()
    }

    fn ty(self) -> Type {
        Type::Foreign(Rc::new(self))
    }

    fn owned(&self, rank: Option<usize>) -> Type {
        self.with(rank, Form::Owned).ty()
    }

    fn view(&self, mutable: bool, rank: Option<usize>) -> Type {
        Type::Ref(mutable, self.with(rank, Form::Viewed).ty().into())
    }

    /// The array that a function of each element returns.
    pub(super) fn mapped(&self, elem: Type) -> Type {
        let mut made = self.with(self.rank, Form::Owned);
        made.elem = elem;
        made.ty()
    }

    /// The type of the items of a loop over an array.
    pub(crate) fn item(&self) -> Type {
        match self.form {
            Form::Views(mutable) => self.view(mutable, self.rank),
            _ => self.elem.clone(),
        }
    }
}

/// The array that a type is, behind references too.
pub(crate) fn foreign(ty: &Type, callees: &Callees, hidden: &Declared) -> Option<Foreign> {
    match ty.peeled() {
        Type::Foreign(foreign) => Some((**foreign).clone()),
        Type::Named(written) => {
            let (elem, rank) = callees.array(written)?;
            let elem = elem.and_then(|elem| from_written(elem, hidden));
            Some(Foreign {
                elem: elem.unwrap_or(Type::Deferred),
                rank,
                form: Form::Owned,
                written: Some(written.clone()),
            })
        }
        _ => None,
    }
}

/// The reference that a view is, by how it is written.
pub(super) fn viewed(ty: &syn::Type, callees: &Callees, hidden: &Declared) -> Option<Type> {
    let (elem, rank) = callees.array(ty)?;
    let (name, _) = super::written::generic(ty)?;
    if !name.starts_with("ArrayView") {
        return None;
    }
    let elem = elem.and_then(|elem| from_written(elem, hidden));
    let view = Foreign {
        elem: elem.unwrap_or(Type::Deferred),
        rank,
        form: Form::Viewed,
        written: None,
    };
    Some(Type::Ref(
        name.starts_with("ArrayViewMut"),
        view.ty().into(),
    ))
}

/// The type with arrays where it is written as one.
pub(super) fn known(ty: Type, callees: &Callees, hidden: &Declared) -> Type {
    match &ty {
        Type::Named(_) => match foreign(&ty, callees, hidden) {
            Some(array) => array.ty(),
            None => ty,
        },
        ty => ty.with_parts(&|part| known(part.clone(), callees, hidden)),
    }
}

/// The view that a method returns by its name, and whether that is written through. `as_slice` returns a reference of std.
pub(crate) fn view_of(name: &str) -> Option<(&str, bool)> {
    const VIEWS: &str =
        "as_slice column diag in_memory_order index_axis row slice slice_axis t view";
    let (base, mutable) = match name.strip_suffix("_mut") {
        Some(base) => (base, true),
        None => (name, false),
    };
    lists(VIEWS, base).then_some((base, mutable))
}

/// The list of views that a method returns by its name, and whether these are written through.
pub(crate) fn views_of(name: &str) -> Option<(&str, bool)> {
    let (base, mutable) = match name.strip_suffix("_mut") {
        Some(base) => (base, true),
        None => (name, false),
    };
    let base = match base {
        "genrows" => "rows",
        "gencolumns" => "columns",
        base => base,
    };
    matches!(
        base,
        "axis_chunks_iter" | "axis_iter" | "columns" | "lanes" | "outer_iter" | "rows" | "windows"
    )
    .then_some((base, mutable))
}

impl Infer<'_> {
    /// The array that a type is known to be.
    pub(super) fn foreign(&self, ty: &Type) -> Option<Foreign> {
        let own = self.table.peeled(ty);
        foreign(&own, &self.func.callees, &self.func.hidden_types)
    }

    /// The result of a method of an array.
    pub(super) fn foreign_result(
        &mut self,
        own: &Foreign,
        name: &str,
        args: &[Type],
    ) -> Option<Type> {
        let (same, less) = (own.rank, own.rank.and_then(|rank| rank.checked_sub(1)));
        let usize = || Type::Int("usize");
        if matches!(own.form, Form::Views(_)) {
            return match name {
                "into_iter" | "rev" => Some(own.clone().ty()),
                "len" => Some(usize()),
                _ => None,
            };
        }
        if let Some((base, mutable)) = view_of(name) {
            let at = match base {
                "row" | "column" => args.first(),
                "index_axis" => args.get(1),
                _ => None,
            };
            if let Some(at) = at {
                self.table.unify(at, &usize());
            }
            let rank = match base {
                "row" | "column" | "diag" => Some(1),
                "index_axis" => less,
                "slice" if same == Some(1) => same,
                "slice" => None,
                _ => same,
            };
            let view = own.view(mutable, rank);
            return Some(match base {
                "as_slice" => {
                    let slice = Type::Slice(own.elem.clone().into());
                    Type::Option(Type::Ref(mutable, slice.into()).into())
                }
                _ => view,
            });
        }
        if let Some((base, mutable)) = views_of(name) {
            let rank = match base {
                "rows" | "columns" | "lanes" => Some(1),
                "axis_iter" | "outer_iter" => less,
                _ => same,
            };
            return Some(own.with(rank, Form::Views(mutable)).ty());
        }
        Some(match name {
            "clone" if own.form == Form::Viewed => own.view(false, same),
            "len" | "nrows" | "ncols" | "ndim" | "len_of" => usize(),
            "is_empty" | "is_square" | "is_standard_layout" => Type::Bool,
            "dim" | "__index_at" => match same {
                Some(1) => usize(),
                Some(rank) if rank > 1 => Type::Tuple(vec![usize(); rank]),
                _ => return None,
            },
            "shape" => Type::Ref(false, Type::Slice(usize().into()).into()),
            "raw_dim" | "__memory_order" => inactive(),
            "sum" | "product" | "var" | "std" => own.elem.clone(),
            "mean" => Type::Option(own.elem.clone().into()),
            "to_vec" => Type::Vec(own.elem.clone().into()),
            "dot" => {
                let other = self.foreign(args.first()?)?;
                match (own.rank?, other.rank?) {
                    (1, 1) => own.elem.clone(),
                    (2, 2) => own.owned(Some(2)),
                    _ => own.owned(Some(1)),
                }
            }
            "broadcast" => Type::Option(own.owned(None).into()),
            "sum_axis" | "product_axis" | "var_axis" | "std_axis" => own.owned(less),
            "mean_axis" => Type::Option(own.owned(less).into()),
            "insert_axis" => own.owned(same.map(|rank| rank + 1)),
            "remove_axis" => own.owned(less),
            "into_owned" | "to_owned" | "clone" | "reversed_axes" | "permuted_axes"
            | "mapv_into" | "clamp" | "pow2" | "scaled" => own.owned(same),
            "into_shape_with_order" | "into_shape" | "to_shape" => {
                let shape = args.first().map(|shape| self.table.shallow(shape));
                let rank = match shape {
                    Some(Type::Tuple(axes)) => Some(axes.len()),
                    Some(ty) if ty.is_int() || self.table.is_int_literal(&ty) => Some(1),
                    _ => None,
                };
                Type::Result(own.owned(rank).into(), inactive().into())
            }
            "mapv" | "map" => {
                let elem = self.table.deferred();
                let made = Foreign {
                    elem,
                    ..own.clone()
                };
                made.owned(same)
            }
            "fill" | "assign" | "scaled_add" | "map_inplace" | "mapv_inplace" | "zip_mut_with"
            | "swap" => Type::Unit,
            name if crate::std_model::of_floats(name) && name != "sin_cos" => own.owned(same),
            _ => return None,
        })
    }

    /// The result of an operator with an array as an operand. A number beside it is of the type of its elements.
    pub(super) fn foreign_operator(
        &mut self,
        left: &Type,
        right: &Type,
        settle: bool,
    ) -> Option<Type> {
        let (a, b) = (self.foreign(left), self.foreign(right));
        let (own, other, other_ty) = match (a, b) {
            (Some(a), b) => (a, b, right),
            (None, Some(b)) => (b, None, left),
            (None, None) => return None,
        };
        let ty = self.table.peeled(other_ty);
        let rank = match &other {
            Some(other) => match (own.rank, other.rank) {
                (Some(a), Some(b)) => Some(a.max(b)),
                _ => None,
            },
            None if self.table.is_float_literal(&ty) => {
                if own.elem.is_float() {
                    self.table.unify(&ty, &own.elem);
                }
                own.rank
            }
            None if ty.is_float() => own.rank,
            None if settle => None,
            None => return None,
        };
        if let Some(other) = &other {
            self.table.unify(&own.elem, &other.elem);
        }
        Some(own.owned(rank))
    }

    /// The result of a function of a library, or of an associated function of one of its types.
    pub(super) fn foreign_made(&mut self, path: &syn::ExprPath, args: &[Type]) -> Option<Type> {
        const MAKERS: &str = "arr0 arr2 arr3 zeros ones eye from_diag from_iter from_shape_fn linspace \
            default from_shape_simple_fn from_fn";
        let (made, elem, rank) = self.func.callees.made_array(path)?;
        let hidden = &self.func.hidden_types;
        let elem = match elem.and_then(|elem| from_written(elem, hidden)) {
            Some(elem) => elem,
            None => self.table.deferred(),
        };
        let form = Form::Owned;
        let foreign = Foreign {
            elem,
            rank,
            form,
            written: None,
        };
        let first = args.first().map(|arg| self.table.peeled(arg));
        let items = |infer: &mut Self, list: Option<Type>| {
            if let Some(elem) = list.as_ref().and_then(Type::element) {
                infer.table.unify(&foreign.elem, elem);
            }
        };
        Some(match made.as_str() {
            "arr1" | "from_vec" => {
                items(self, first);
                foreign.ty()
            }
            "from_elem" => {
                if let Some(elem) = args.get(1) {
                    self.table.unify(&foreign.elem, elem);
                }
                foreign.ty()
            }
            "from_shape_vec" => {
                items(self, args.get(1).map(|arg| self.table.peeled(arg)));
                Type::Result(foreign.ty().into(), inactive().into())
            }
            "__like" => {
                let array = args.first().and_then(|array| self.foreign(array))?;
                let list = args.get(1).map(|list| self.table.peeled(list));
                let elem = list.as_ref().and_then(Type::element).cloned();
                array.mapped(elem.unwrap_or(Type::Deferred))
            }
            "stack" | "concatenate" => Type::Result(foreign.ty().into(), inactive().into()),
            name if lists(MAKERS, name) => foreign.ty(),
            _ => return None,
        })
    }
}
