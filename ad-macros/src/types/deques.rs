//! Methods of `VecDeque` that lists don't have, or have with another result.

use std::rc::Rc;

use super::infer::Infer;
use super::ty::Type;

impl Infer<'_> {
    /// The result of a method that only a `VecDeque` has, or that returns another type there.
    pub(super) fn deque_result(
        &mut self,
        elem: &Rc<Type>,
        name: &str,
        args: &[Type],
    ) -> Option<Type> {
        match (name, args) {
            ("push_back" | "push_front", [item]) => {
                self.table.unify(item, elem);
                Some(Type::Unit)
            }
            ("pop_back" | "pop_front", []) => Some(Type::Option(elem.clone())),
            ("remove", [at]) => {
                self.table.unify(at, &Type::Int("usize"));
                Some(Type::Option(elem.clone()))
            }
            ("split_off", [at]) => {
                self.table.unify(at, &Type::Int("usize"));
                Some(Type::Deque(elem.clone()))
            }
            _ => None,
        }
    }

    /// `VecDeque::new()`, `VecDeque::with_capacity(n)`, `VecDeque::default()` and `VecDeque::from(list)`.
    pub(super) fn made_deque(&mut self, last: &str, args: &[Type]) -> Option<Type> {
        let elem = self.table.fresh();
        match (last, args) {
            ("new" | "default", []) => {}
            ("with_capacity", [n]) => self.table.unify(n, &Type::Int("usize")),
            ("from", [list]) => {
                let (of, item) = (list.clone(), elem.clone());
                self.constraints
                    .push(super::solve::Constraint::Iterate(of, item));
            }
            _ => return None,
        }
        Some(Type::Deque(elem.into()))
    }
}
