//! Methods of indexing, and the projections made of them.

use expect_test::expect;
use quote::quote;

fn expanded(source: &str) -> String {
    let block: syn::ItemImpl = syn::parse_str(source).expect("an impl");
    let of = &block.trait_.as_ref().expect("of a trait").0;
    let kind = super::Kind::Index;
    let last = of.segments.last().expect("a name");
    let tokens = super::rules(&quote!(rt), &block, kind, last).expect("a supported body");
    prettyplease::unparse(&syn::parse2(tokens).expect("emitted code parses"))
}

#[test]
fn a_body_is_read_up_to_its_last_step() {
    let source = "impl Index<(usize, usize)> for Grid {
        type Output = f64;
        fn index(&self, (i, j): (usize, usize)) -> &f64 {
            assert!(i < self.n);
            &self.data[i * self.n + j]
        }
    }";
    expect![[r#"
        use rt::index::{
            AnyLender as _, AnyLenderMut as _, AnyWhole as _, AnyWholeMut as _, AtByRules as _,
            AtMutByRules as _, AtNowhere as _,
        };
        #[allow(refining_impl_trait)]
        impl rt::index::IndexRules<(usize, usize)> for Grid {
            const TEXT: ::core::primitive::u64 = 10874919758152711237u64;
            type Part = <<Self as ::core::ops::Index<
                (usize, usize),
            >>::Output as rt::Differentiable>::Tangent;
            #[inline]
            fn locate(
                &self,
                (i, j): (usize, usize),
            ) -> impl rt::index::Located<
                rt::Tan<Self>,
                (usize, usize),
                Part = Self::Part,
            > + use<> {
                assert!(i < self.n);
                {
                    let k_1 = i * self.n + j;
                    let at_2 = rt::index::Locate(&(*self).data, k_1).at();
                    rt::index::projection::<
                        rt::Tan<Self>,
                        Self::Part,
                        _,
                        _,
                    >(
                        move |t| rt::index::held::<
                            _,
                            Self::Part,
                        >(&(*rt::index::Whole(&(*t).data).part(k_1, at_2))),
                        move |t| rt::index::held_mut::<
                            _,
                            Self::Part,
                        >(&mut (*rt::index::Whole(&mut (*t).data).part(k_1, at_2))),
                    )
                }
            }
        }
    "#]]
    .assert_eq(&expanded(source));
}

#[test]
fn which_side_ran_is_part_of_the_position() {
    let source = "impl Index<usize> for Pair {
        type Output = f64;
        fn index(&self, i: usize) -> &f64 {
            match i {
                0 => &self.x,
                1 => &self.y,
                _ => panic!(),
            }
        }
    }";
    expect![[r#"
        use rt::index::{
            AnyLender as _, AnyLenderMut as _, AnyWhole as _, AnyWholeMut as _, AtByRules as _,
            AtMutByRules as _, AtNowhere as _,
        };
        #[allow(refining_impl_trait)]
        impl rt::index::IndexRules<usize> for Pair {
            const TEXT: ::core::primitive::u64 = 8610527906497588967u64;
            type Part = <<Self as ::core::ops::Index<
                usize,
            >>::Output as rt::Differentiable>::Tangent;
            #[inline]
            fn locate(
                &self,
                i: usize,
            ) -> impl rt::index::Located<rt::Tan<Self>, usize, Part = Self::Part> + use<> {
                match i {
                    0 => {
                        rt::index::Choice::First({
                            rt::index::projection::<
                                rt::Tan<Self>,
                                Self::Part,
                                _,
                                _,
                            >(
                                move |t| rt::index::held::<_, Self::Part>(&(*t).x),
                                move |t| rt::index::held_mut::<_, Self::Part>(&mut (*t).x),
                            )
                        })
                    }
                    1 => {
                        rt::index::Choice::Rest({
                            rt::index::projection::<
                                rt::Tan<Self>,
                                Self::Part,
                                _,
                                _,
                            >(
                                move |t| rt::index::held::<_, Self::Part>(&(*t).y),
                                move |t| rt::index::held_mut::<_, Self::Part>(&mut (*t).y),
                            )
                        })
                    }
                    _ => panic!(),
                }
            }
        }
    "#]]
    .assert_eq(&expanded(source));
}
