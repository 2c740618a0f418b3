//! Views and macros of `nalgebra`, in a file that imports it.
//!
//! A view of a matrix is a value with a lifetime, which no pullback can hold. One that is read is copied; one that is written is a copy that is
//! put back:
//!
//! ```text
//! Input:  m.column_mut(j).copy_from(&x);
//! Output: { let __at_0 = j; let mut __view = m.column(__at_0).into_owned(); __view.copy_from(&x); m.put_part((0, __at_0), &__view); }
//! ```
//!
//! Nothing else refers to the matrix while the view exists, so that it makes no difference when the copy is put back. In constant code, views stay views.

use std::collections::HashSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::visit::Visit;

use super::closure::stripped;
use super::get_or_insert::is_place;
use super::parse::Parser;
use super::{Block, Expr, ExprId, ExprKind, Pat, Stmt, Var, mentions};
use crate::attributes::has_constant;
use crate::diagnostics::Whole;
use crate::enclosing::has_word;
use crate::paths::last_name;
use crate::syntax::{EachExpr, closure_of, method_call, typed_params};

/// Methods that return a view to read, with the number of their arguments.
const VIEWS: [(&str, usize); 8] = [
    ("row", 1),
    ("column", 1),
    ("rows", 2),
    ("columns", 2),
    ("view", 2),
    ("fixed_rows", 1),
    ("fixed_columns", 1),
    ("fixed_view", 2),
];

/// How the names of matrices begin.
const MATRICES: &str =
    "DMatrix DVector RowDVector Matrix Vector RowVector SMatrix SVector OMatrix OVector";

/// True if the names of a file are such that `row` and the like are methods of matrices.
pub(crate) fn is_view_method(name: &str) -> bool {
    let name = name.strip_suffix("_mut").unwrap_or(name);
    VIEWS.iter().any(|(view, _)| *view == name)
}

fn is_view(call: &syn::ExprMethodCall, name: &str) -> bool {
    VIEWS.contains(&(name, call.args.len()))
}

/// Refuses parameters that are views.
pub(super) fn refuse_views(sig: &syn::Signature, parser: &mut Parser) {
    for param in typed_params(sig) {
        let syn::Type::Path(ty) = &*param.ty else {
            continue;
        };
        let Some(last) = ty.path.segments.last() else {
            continue;
        };
        let name = last.ident.to_string();
        let is_view = MATRICES.split(' ').any(|matrix| {
            name.strip_prefix(matrix).is_some_and(|rest| {
                let rest =
                    rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == 'x' || c == 'X');
                rest == "View" || rest == "ViewMut"
            })
        });
        let is_constant = has_constant(&param.attrs);
        if parser.matrices && is_view && !is_constant {
            let owned = name.replace("ViewMut", "").replace("View", "");
            let (by, call) = if name.ends_with("Mut") {
                ("&mut ", "`&mut copy`")
            } else {
                ("&", "`&m.column(j).into_owned()`")
            };
            parser.error(
                Whole(&last.ident),
                "a view of a matrix as a parameter is not supported yet",
                format!("take `{by}{owned}<..>`, and call it with {call}"),
            );
        }
    }
}

/// Code in which the name of a view stands.
type OfView = Box<dyn Fn(&Ident) -> TokenStream>;

/// A view that is written: the matrix, and code around its use.
struct Written {
    before: TokenStream,
    read: TokenStream,
    after: OfView,
}

impl Parser {
    /// True unless a value is known to be none of this library.
    fn may_be_matrix(&self, source: &syn::Expr) -> bool {
        self.matrices && !self.is_array(source)
    }

    /// Reads a view: as a copy, unless all of the code around it is constant.
    ///
    /// ```text
    /// Input:  x.row(i)
    /// Output: x.row(i).into_owned()
    /// ```
    pub(super) fn copied_view(&mut self, call: &syn::ExprMethodCall, view: Expr) -> Expr {
        if !self.may_be_matrix(&call.receiver) || !is_view(call, &call.method.to_string()) {
            return view;
        }
        let source: syn::Expr = syn::parse_quote!(#call.into_owned());
        let kind = ExprKind::method(
            view,
            Ident::new("into_owned", call.method.span()),
            Vec::new(),
        );
        let copy = self.sourced(kind, &source);
        self.view_copies.insert(copy.id);
        copy
    }

    /// Statements in place of one that writes a view and of some that follow, and how many these are.
    pub(super) fn without_written_view(
        &mut self,
        stmt: &syn::Stmt,
        after: &[syn::Stmt],
    ) -> Option<(Vec<syn::Stmt>, usize)> {
        if !self.matrices || !mentions_written(stmt) {
            return None;
        }
        if let Some(bound) = self.bound_view(stmt, after) {
            return Some(bound);
        }
        let syn::Stmt::Expr(expr, _) = stmt else {
            return None;
        };
        let new = self.used_view(expr).or_else(|| self.each_view(expr));
        Some((vec![new.or_else(|| applied(expr))?], 0))
    }

    /// `m.column_mut(j).copy_from(&x);`, `m.row_mut(i) += &x;`
    fn used_view(&mut self, expr: &syn::Expr) -> Option<syn::Stmt> {
        let (view, then): (_, OfView) = match expr {
            syn::Expr::MethodCall(call) => {
                let method = call.method.clone();
                let turbofish = call.turbofish.clone();
                let args = call.args.clone();
                let then = move |view: &Ident| quote!(#view.#method #turbofish(#args););
                (&*call.receiver, Box::new(then))
            }
            syn::Expr::Binary(binary) => {
                let (op, right) = (binary.op, binary.right.clone());
                (
                    &*binary.left,
                    Box::new(move |view: &Ident| quote!(#view #op #right;)),
                )
            }
            _ => return None,
        };
        let written = self.written_view(view)?;
        if !mentions::exits(expr).is_empty() {
            return None;
        }
        let view = Ident::new("__view", Span::call_site());
        let before = &written.before;
        let read = &written.read;
        let then = then(&view);
        let after = (written.after)(&view);
        Some(syn::parse_quote!({ #before let mut #view = #read; #then #after }))
    }

    /// `let mut c = m.column_mut(j);` and the uses of `c`: the new statements, and how many of the following ones are among them.
    fn bound_view(
        &mut self,
        stmt: &syn::Stmt,
        after: &[syn::Stmt],
    ) -> Option<(Vec<syn::Stmt>, usize)> {
        let syn::Stmt::Local(local) = stmt else {
            return None;
        };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none())?;
        let syn::Pat::Ident(pat) = &local.pat else {
            return None;
        };
        let written = self.written_view(&init.expr)?;
        let name = &pat.ident;
        let used = after
            .iter()
            .rposition(|stmt| mentions(stmt, name))
            .map_or(0, |last| last + 1);
        let has_value =
            matches!(after[..used].last(), Some(syn::Stmt::Expr(_, None))) && used == after.len();
        if has_value || after[..used].iter().any(leaves) {
            return None;
        }
        let (before, read, put) = (&written.before, &written.read, (written.after)(name));
        let mut all: syn::Block = syn::parse_quote!({ #before let mut #name = #read; });
        all.stmts.extend_from_slice(&after[..used]);
        let end: syn::Block = syn::parse_quote!({ #put });
        all.stmts.extend(end.stmts);
        Some((all.stmts, used))
    }

    /// `for mut c in m.column_iter_mut() { .. }`
    fn each_view(&self, expr: &syn::Expr) -> Option<syn::Stmt> {
        let syn::Expr::ForLoop(each) = expr else {
            return None;
        };
        let (iter, counted) = match stripped(&each.expr) {
            syn::Expr::MethodCall(call) if call.method == "enumerate" => {
                (stripped(&call.receiver), true)
            }
            iter => (iter, false),
        };
        let iter = method_call(iter)?;
        let (count, read, first) = match iter.method.to_string().as_str() {
            "column_iter_mut" => ("ncols", "column", quote!((0, __k))),
            "row_iter_mut" => ("nrows", "row", quote!((__k, 0))),
            _ => return None,
        };
        let matrix = &*iter.receiver;
        let (index, view) = match &*each.pat {
            syn::Pat::Tuple(pair) if counted && pair.elems.len() == 2 => {
                (Some(&pair.elems[0]), &pair.elems[1])
            }
            pat if !counted => (None, pat),
            _ => return None,
        };
        let syn::Pat::Ident(view) = view else {
            return None;
        };
        if !is_place(matrix)
            || self.is_array(matrix)
            || each.label.is_some()
            || each.body.stmts.iter().any(leaves)
        {
            return None;
        }
        let (name, body) = (&view.ident, &each.body);
        let (count, read) = (format_ident!("{count}"), format_ident!("{read}"));
        let index = index.map(|index| quote!(let #index = __k;));
        let span = each.for_token.span;
        Some(syn::parse_quote_spanned! {span=>
            for __k in 0..#matrix.#count() {
                #index
                let mut #name = #matrix.#read(__k).into_owned();
                #body
                #matrix.put_part(#first, &#name);
            }
        })
    }

    /// A view that is written: `m.rows_mut(i, n)`.
    fn written_view(&mut self, view: &syn::Expr) -> Option<Written> {
        let call = method_call(stripped(view))?;
        let name = call.method.to_string();
        let name = name.strip_suffix("_mut")?;
        if !is_view(call, name) || !is_place(&call.receiver) || self.is_array(&call.receiver) {
            return None;
        }
        let span = call.method.span();
        self.views += 1;
        let names: Vec<Ident> = (0..call.args.len())
            .map(|k| format_ident!("__at_{}_{k}", self.views))
            .collect();
        let args = call.args.iter();
        let before = quote!(#(let #names = #args;)*);
        let first = match (name, &names[..]) {
            ("row" | "rows" | "fixed_rows", [i, ..]) => quote!((#i, 0)),
            ("column" | "columns" | "fixed_columns", [j, ..]) => quote!((0, #j)),
            ("view", [first, _]) => quote!(#first),
            ("fixed_view", [i, j]) => quote!((#i, #j)),
            _ => return None,
        };
        let (matrix, turbofish) = (call.receiver.clone(), &call.turbofish);
        let read = Ident::new(name, span);
        let read = quote_spanned!(span=> #matrix.#read #turbofish(#(#names),*).into_owned());
        Some(Written {
            before,
            read,
            after: Box::new(move |view| quote_spanned!(span=> #matrix.put_part(#first, &#view);)),
        })
    }

    /// The rows or columns of a matrix, each of which is a view.
    ///
    /// ```text
    /// Input:  a.row_iter()
    /// Output: (0..a.nrows()).map(|__k| a.row(__k))
    /// ```
    pub(super) fn matrix_lines(&self, call: &syn::ExprMethodCall) -> Option<syn::Expr> {
        let (count, line) = match call.method.to_string().as_str() {
            "row_iter" => ("nrows", "row"),
            "column_iter" => ("ncols", "column"),
            _ => return None,
        };
        let (matrix, span) = (&call.receiver, call.method.span());
        let (count, line) = (Ident::new(count, span), Ident::new(line, span));
        // Matrices of other libraries have methods of these names.
        let is_other = self.declared_type(matrix).is_some_and(|ty| {
            let syn::Type::Path(ty) = ty else { return true };
            let name = last_name(&ty.path).unwrap_or_default();
            !MATRICES.split(' ').any(|matrix| name.starts_with(matrix))
        });
        let may_be = is_place(matrix) && self.may_be_matrix(matrix) && !is_other;
        (call.args.is_empty() && may_be).then(|| {
            syn::parse_quote_spanned!(span=> (0usize..#matrix.#count()).map(|__k| #matrix.#line(__k)))
        })
    }

    /// Methods that are short for others. The results have the same bits.
    ///
    /// ```text
    /// Input:  x.fold(0.0, |sum, v| sum + v), x.singular_values()
    /// Output: x.iter().copied().fold(0.0, |sum, v| sum + v), x.clone().svd(false, false).singular_values
    /// ```
    pub(super) fn matrix_method(&self, call: &syn::ExprMethodCall) -> Option<syn::Expr> {
        let (matrix, args) = (&call.receiver, &call.args);
        if !self.may_be_matrix(matrix) {
            return None;
        }
        let span = call.method.span();
        Some(match (call.method.to_string().as_str(), args.len()) {
            ("fold", 2) if is_place(matrix) && !self.is_chain(matrix) => {
                syn::parse_quote_spanned!(span=> #matrix.iter().copied().fold(#args))
            }
            ("singular_values", 0) => {
                syn::parse_quote_spanned!(span=> (#matrix).clone().svd(false, false).singular_values)
            }
            ("symmetric_eigenvalues", 0) => {
                syn::parse_quote_spanned!(span=> (#matrix).clone().symmetric_eigen().eigenvalues)
            }
            _ => return None,
        })
    }

    /// Functions that are other names for methods, and `from_iterator`, which takes a list as well.
    ///
    /// ```text
    /// Input:  Cholesky::new(k), nalgebra::distance(&p, &q), DVector::from_iterator(n, x.iter().map(f))
    /// Output: k.cholesky(), (&q - &p).norm(), DVector::from_iterator(n, x.iter().map(f).collect::<Vec<_>>())
    /// ```
    pub(super) fn matrix_call(
        &mut self,
        path: &syn::ExprPath,
        call: &syn::ExprCall,
    ) -> Option<syn::Expr> {
        if !self.matrices || path.qself.is_some() {
            return None;
        }
        let names: Vec<&Ident> = path.path.segments.iter().map(|name| &name.ident).collect();
        let [.., of, name] = &names[..] else {
            return None;
        };
        let args: Vec<&syn::Expr> = call.args.iter().collect();
        let span = path.span();
        match (
            of.to_string().as_str(),
            name.to_string().as_str(),
            &args[..],
        ) {
            (of, "new", [matrix, flags @ ..]) => {
                let method = match (of, flags) {
                    ("Cholesky", []) => "cholesky",
                    ("LU", []) => "lu",
                    ("QR", []) => "qr",
                    ("SymmetricEigen", []) => "symmetric_eigen",
                    ("SVD", [_, _]) => "svd",
                    _ => return None,
                };
                let method = Ident::new(method, span);
                Some(syn::parse_quote_spanned!(span=> (#matrix).#method(#(#flags),*)))
            }
            ("nalgebra" | "na", "distance", [p, q]) => {
                Some(syn::parse_quote_spanned!(span=> ((#q) - (#p)).norm()))
            }
            ("nalgebra" | "na", "distance_squared", [p, q]) => {
                Some(syn::parse_quote_spanned!(span=> ((#q) - (#p)).norm_squared()))
            }
            (_, "from_iterator", [sizes @ .., items]) if self.is_chain(items) => {
                let func = &call.func;
                Some(syn::parse_quote_spanned! {span=>
                    #func(#(#sizes,)* (#items).collect::<::std::vec::Vec<_>>())
                })
            }
            _ => None,
        }
    }

    /// Reads `vector![x, y]`, `matrix![a, b; c, d]`, `dvector!`, `dmatrix!` and `point!` as constructors.
    pub(super) fn matrix_macro(&mut self, mac: &syn::Macro) -> Option<syn::Expr> {
        if !self.matrices {
            return None;
        }
        let name = last_name(&mac.path)?;
        if !["vector", "dvector", "matrix", "dmatrix", "point"].contains(&name.as_str()) {
            return None;
        }
        let parse = Punctuated::<Row, syn::Token![;]>::parse_terminated;
        let rows = syn::parse::Parser::parse2(parse, mac.tokens.clone()).ok()?;
        let rows: Vec<&Row> = rows.iter().filter(|row| !row.0.is_empty()).collect();
        let columns = rows.first().map_or(0, |row| row.0.len());
        if columns == 0 || rows.iter().any(|row| row.0.len() != columns) {
            return None;
        }
        let all: Vec<&syn::Expr> = rows.iter().flat_map(|row| &row.0).collect();
        let (height, width, count) = (rows.len(), columns, all.len());
        let (span, rt) = (mac.path.span(), &self.runtime);
        Some(match name.as_str() {
            "vector" => syn::parse_quote_spanned! {span=>
                #rt::libraries::nalgebra::SMatrix::<_, #count, 1>::from_column_slice(&[#(#all),*])
            },
            "point" => syn::parse_quote_spanned! {span=>
                #rt::libraries::nalgebra::Point::<_, #count>::new(#(#all),*)
            },
            "dvector" => syn::parse_quote_spanned! {span=>
                #rt::libraries::nalgebra::DVector::<_>::from_column_slice(&[#(#all),*])
            },
            "matrix" => syn::parse_quote_spanned! {span=>
                #rt::libraries::nalgebra::SMatrix::<_, #height, #width>::from_row_slice(&[#(#all),*])
            },
            _ => syn::parse_quote_spanned! {span=>
                #rt::libraries::nalgebra::DMatrix::<_>::from_row_slice(#height, #width, &[#(#all),*])
            },
        })
    }
}

/// The variables that are copies of views.
pub(super) fn named_copies(body: &Block, copies: &HashSet<ExprId>) -> HashSet<Var> {
    let mut named = HashSet::new();
    body.each_block(&mut |block| {
        for stmt in &block.stmts {
            if let Stmt::Let(stmt) = stmt
                && let Some(init) = &stmt.init
            {
                name_copies(&stmt.pat, init, copies, &mut named);
            }
        }
    });
    named
}

fn name_copies(pat: &Pat, init: &Expr, copies: &HashSet<ExprId>, named: &mut HashSet<Var>) {
    match (pat, &init.kind) {
        (Pat::Bind { var, .. }, _) if is_copy(init, copies, named) => {
            named.insert(*var);
        }
        (Pat::Tuple { elems, rest: None }, ExprKind::Tuple(inits)) => {
            for (pat, init) in elems.iter().zip(inits) {
                name_copies(pat, init, copies, named);
            }
        }
        _ => {}
    }
}

fn is_copy(expr: &Expr, copies: &HashSet<ExprId>, named: &HashSet<Var>) -> bool {
    match &expr.kind {
        ExprKind::Var(var) => named.contains(var),
        ExprKind::Block(block, None) => {
            let value = block.value.as_ref();
            value.is_some_and(|value| is_copy(value, copies, named))
        }
        _ => copies.contains(&expr.id),
    }
}

/// A closure that changes each element.
///
/// ```text
/// Input:  x.apply(|v| *v = v.sin());
/// Output: { let __new = x.map(|__v| { let mut __v = __v; { let v = &mut __v; *v = v.sin(); } __v }); x.copy_from(&__new); }
/// ```
fn applied(expr: &syn::Expr) -> Option<syn::Stmt> {
    let call = method_call(expr)?;
    let (map, others, f) = match (call.method.to_string().as_str(), call.args.len()) {
        ("apply", 1) => ("map", None, &call.args[0]),
        ("zip_apply", 2) => ("zip_map", Some(&call.args[0]), &call.args[1]),
        _ => return None,
    };
    let f = closure_of(stripped(f))?;
    let mut params = f.inputs.iter();
    let (first, rest): (_, Vec<_>) = (params.next()?, params.collect());
    let matrix = &*call.receiver;
    if !is_place(matrix) || !mentions::exits(&f.body).is_empty() {
        return None;
    }
    let (map, body) = (Ident::new(map, call.method.span()), &f.body);
    let others = others.map(|other| quote!(#other,));
    Some(syn::parse_quote!({
        let __new = #matrix.#map(#others |__v #(, #rest)*| {
            let mut __v = __v;
            { let #first = &mut __v; #body; }
            __v
        });
        #matrix.copy_from(&__new);
    }))
}

/// A row of a matrix in a macro.
struct Row(Vec<syn::Expr>);

impl syn::parse::Parse for Row {
    fn parse(input: syn::parse::ParseStream<'_>) -> syn::Result<Row> {
        let mut row = Vec::new();
        while !input.is_empty() && !input.peek(syn::Token![;]) {
            row.push(input.parse()?);
            if input.parse::<Option<syn::Token![,]>>()?.is_none() {
                break;
            }
        }
        Ok(Row(row))
    }
}

/// True if a view that is written may be in a statement.
fn mentions_written(stmt: &syn::Stmt) -> bool {
    let mut found = false;
    let mut each = EachExpr(|expr: &syn::Expr| {
        if let syn::Expr::MethodCall(call) = expr {
            let name = call.method.to_string();
            found |= matches!(name.as_str(), "apply" | "zip_apply")
                || name.ends_with("_iter_mut")
                || name.ends_with("_mut") && is_view_method(&name);
        }
    });
    each.visit_stmt(stmt);
    found
}

/// True if a name occurs in a statement.
fn mentions(stmt: &syn::Stmt, name: &Ident) -> bool {
    has_word(quote!(#stmt), &|word| word == name)
}

/// True if a statement may leave the enclosing block.
fn leaves(stmt: &syn::Stmt) -> bool {
    let block: syn::Expr = syn::parse_quote!({ #stmt });
    !mentions::exits(&block).is_empty()
}
