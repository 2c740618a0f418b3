//! x
use crate::diagnostics::Errors;
use crate::hir::Func;
use crate::types::Types;
pub(super) fn rewrite(_func: &mut Func, _types: &mut Types, _errors: &mut Errors) {}
