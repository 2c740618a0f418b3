//! Maps and sets of std, which have no positions.

use super::declared::Declared;
use super::infer::Infer;
use super::ty::{Type, from_written};
use super::written::{generic, ungrouped};
use crate::hir::Expr;

const NAMES: [&str; 4] = ["HashMap", "BTreeMap", "HashSet", "BTreeSet"];

/// Types whose content is written through a shared reference. `Cell` is too likely to be a user's.
const CELLS: [&str; 5] = ["RefCell", "OnceCell", "Mutex", "RwLock", "OnceLock"];

/// Pointers and lists that have the tangents of their content.
const OUTER: [&str; 6] = ["Arc", "Box", "Option", "Rc", "Vec", "VecDeque"];

/// The name of a type of std's that has no tangent because of its content, and a replacement.
pub(crate) fn refused(ty: &Type) -> Option<(String, &'static str)> {
    let (Type::Named(ty) | Type::Inactive(ty)) = ty.peeled() else {
        return None;
    };
    refused_type(ty)
}

/// The same of a written type, also inside of a pointer or list.
pub(crate) fn refused_type(ty: &syn::Type) -> Option<(String, &'static str)> {
    let (name, args) = generic(ty)?;
    if let (true, [inner]) = (OUTER.contains(&name.as_str()), &args[..]) {
        return refused_type(ungrouped(inner));
    }
    if args.is_empty() {
        // A type of the user's.
        None
    } else if NAMES.contains(&name.as_str()) {
        Some((name, "keep positions in the map, and the values in a `Vec`"))
    } else if CELLS.contains(&name.as_str()) {
        Some((
            name,
            "use a `mut` variable instead, and pass it on as `&mut`",
        ))
    } else if name == "Cow" {
        Some((name, "take a slice, or own the list"))
    } else {
        None
    }
}

/// The name of a map's or set's type.
pub(crate) fn keyed(ty: &Type) -> Option<String> {
    let (Type::Named(ty) | Type::Inactive(ty)) = ty.peeled() else {
        return None;
    };
    let (name, _) = generic(ty)?;
    NAMES.contains(&name.as_str()).then_some(name)
}

/// The part of a map or set that is iterated over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// Pairs of keys and values, or the elements of a set.
    Entries,
    Keys,
    Values,
}

/// The map or set that `m.keys()`, `m.values()` or `m.iter()` iterates over.
pub(crate) fn part_of(iterator: &Expr) -> Option<(&Expr, Part)> {
    let (receiver, name, args) = iterator.as_method()?;
    let part = match name.to_string().as_str() {
        "iter" => Part::Entries,
        "keys" => Part::Keys,
        "values" => Part::Values,
        _ => return None,
    };
    args.is_empty().then_some((receiver, part))
}

/// The type of the items of an iteration, without its reference.
pub(crate) fn item(ty: &Type, part: Part, hidden: &Declared) -> Option<Type> {
    let name = keyed(ty)?;
    let (Type::Named(ty) | Type::Inactive(ty)) = ty.peeled() else {
        return None;
    };
    let (_, args) = generic(ty)?;
    let arg = |k: usize| {
        let written = args.get(k).and_then(|ty| from_written(ty, hidden));
        written.unwrap_or(Type::Deferred)
    };
    Some(match part {
        Part::Entries if name.ends_with("Map") => Type::Tuple(vec![arg(0), arg(1)]),
        Part::Entries | Part::Keys => arg(0),
        Part::Values if name.ends_with("Map") => arg(1),
        Part::Values => return None,
    })
}

/// The type of the value that a key finds in a map; not that of a box, which can't be copied.
pub(crate) fn found(ty: &Type, hidden: &Declared) -> Option<Type> {
    item(ty, Part::Values, hidden).filter(|found| !matches!(found, Type::Boxed(_)))
}

/// Returns `true` if a map holds boxes.
pub(crate) fn holds_boxes(ty: &Type, hidden: &Declared) -> bool {
    matches!(item(ty, Part::Values, hidden), Some(Type::Boxed(_)))
}

impl Infer<'_> {
    /// The type of a map, set or cell that `HashMap::new()` or another of its constructors makes.
    pub(super) fn made_container(path: &syn::ExprPath, last: &str) -> Option<Type> {
        let made = matches!(last, "new" | "with_capacity" | "default" | "from");
        let mut ty = path.path.clone();
        ty.segments.pop();
        ty.segments.pop_punct();
        let name = ty.segments.last_mut()?;
        if !made
            || path.qself.is_some()
            || !NAMES.iter().chain(&CELLS).any(|known| name.ident == known)
        {
            return None;
        }
        if name.arguments.is_none() {
            let arguments = if name.ident.to_string().ends_with("Map") {
                syn::parse_quote!(<_, _>)
            } else {
                syn::parse_quote!(<_>)
            };
            name.arguments = syn::PathArguments::AngleBracketed(arguments);
        }
        let path = syn::TypePath {
            attrs: Vec::new(),
            qself: None,
            path: ty,
        };
        Some(Type::Named(syn::Type::Path(path).into()))
    }
}
