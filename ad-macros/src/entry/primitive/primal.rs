//! The call of the primal inside of its own rules.

use quote::quote;

use crate::diagnostics::bug;
use crate::emit::output_ty;
use crate::entry::source::{Source, compile_signature};
use crate::ir::{
    Arg, Call, Callee, Func, Op, OpKind, Param, PassedBy, Pattern, Place, Region, Rule, Value,
};
use crate::options::Options;

/// `y = f(a, &b)`, with the parameters of `func`, which are those of the primal.
pub(super) fn call(func: &mut Func, source: &Source<'_>, rule: Rule, y: Value) -> Vec<Op> {
    let span = source.sig.ident.span();
    let mut ops = Vec::new();
    let params = func.params.clone();
    let args = (params.iter().map(|p| arg(func, p, &mut ops))).collect();
    let call = Call {
        split: true,
        ..Call::new(callee(source), rule, args)
    };
    ops.push(Op::new(OpKind::Call(Box::new(call)), vec![y], span));
    ops
}

/// A function of the parameters that calls the primal: the rules of its callers are made from it.
pub(in crate::entry) fn caller(
    options: &Options,
    source: &Source<'_>,
    rule: Rule,
) -> syn::Result<Func> {
    let mut func = compile_signature(options, source)?;
    let y = func.new_value(output_ty(&func), "y", source.sig.ident.span());
    let ops = call(&mut func, source, rule, y);
    func.body = Region::new(ops, vec![y]);
    func.result = Pattern::Value(y);
    Ok(func)
}

/// Inside of its own rules the function's are found whatever their type is called.
pub(in crate::entry) fn with_own_rules(options: &Options, source: &Source<'_>) -> Options {
    let mut options = options.clone();
    let own = (source.sig.ident.clone().into(), syn::parse_quote!(Self));
    options.with.insert(0, own);
    options
}

fn callee(source: &Source<'_>) -> Callee {
    let name = &source.sig.ident;
    let arguments = crate::surface::arguments(&source.sig.generics);
    let turbofish = (!arguments.is_empty()).then(|| quote!(::<#(#arguments),*>));
    if source.sig.receiver().is_some() {
        return Callee::Method {
            name: name.clone(),
            turbofish,
        };
    }
    Callee::Path {
        path: if source.method {
            syn::parse_quote!(Self::#name #turbofish)
        } else {
            syn::parse_quote!(#name #turbofish)
        },
        associated: source.method,
    }
}

/// A parameter, handed on.
fn arg(func: &mut Func, param: &Param, ops: &mut Vec<Op>) -> Arg {
    let slot = match param.pattern {
        Pattern::Value(v) => return Arg::Value(v),
        Pattern::Slot(slot) => slot,
        _ => bug!("a parameter of a primal with a tangent"),
    };
    let place = Place::whole(slot);
    if param.receiver {
        return Arg::Receiver(place);
    }
    match param.by {
        PassedBy::Ref => Arg::Ref(place),
        PassedBy::Mut => Arg::Mut(place),
        PassedBy::Value => {
            let ty = func.slot(slot).ty.clone();
            let v = func.new_value(ty, param.ident.to_string(), param.ident.span());
            ops.push(Op::new(OpKind::Load(place), vec![v], param.ident.span()));
            Arg::Value(v)
        }
    }
}
