//! An active value that gets into a `#[constant]` field, which only rustc knows.

use chainrule::prelude::*;

#[derive(Differentiable, Clone, Default)]
struct Model {
    rate: f64,
    #[constant]
    last: f64,
    #[constant]
    cache: Vec<f64>,
    #[constant]
    cfg: Config,
}
#[derive(Differentiable, Clone, Default)]
struct Config {
    scale: f64,
    v: Vec<f64>,
}

#[differentiable]
impl Model {
    fn store(&mut self, x: f64) -> f64 {
        self.last = x;
        self.rate * self.last
    }
    fn update(&mut self, x: f64) -> f64 {
        self.last += x;
        self.rate * self.last
    }
    fn push(&mut self, x: f64) -> f64 {
        self.cache.push(x);
        self.rate * self.cache[0]
    }
    fn nested(&mut self, x: f64) -> f64 {
        self.cfg.scale = x;
        self.rate * self.cfg.scale
    }
    fn elem(&mut self, x: f64) -> f64 {
        self.cache[0] = x;
        self.rate * self.cache[0]
    }
    fn own(&mut self) -> f64 {
        self.last = self.rate * 2.0;
        self.last
    }
    fn swapped(&mut self, mut x: f64) -> f64 {
        std::mem::swap(&mut self.last, &mut x);
        self.last
    }
    fn replaced(&mut self, x: f64) -> f64 {
        let old = std::mem::replace(&mut self.last, x);
        self.last + old
    }
    fn whole(&mut self, x: f64) -> f64 {
        self.cfg = Config {
            scale: x,
            v: vec![],
        };
        self.cfg.scale
    }
    fn ext(&mut self, x: &[f64]) -> f64 {
        self.cache.extend_from_slice(x);
        self.cache[0]
    }
    fn itm(&mut self, x: f64) -> f64 {
        for c in self.cache.iter_mut() {
            *c = x;
        }
        self.cache[0]
    }
    fn fill(&mut self, x: f64) -> f64 {
        self.cache.fill(x);
        self.cache[0]
    }
    fn destr(&mut self, x: f64) -> f64 {
        (self.last, self.rate) = (x, x * 2.0);
        self.last * self.rate
    }
    fn reff(&mut self, x: f64) -> f64 {
        let l = &mut self.last;
        *l = x;
        self.last
    }
    fn helper(&mut self, x: f64) -> f64 {
        set_to(&mut self.last, x);
        self.last
    }
    fn coll(&mut self, x: &[f64]) -> f64 {
        self.cache = x.iter().map(|v| v * 2.0).collect();
        self.cache[0]
    }
    fn copyf(&mut self, x: &[f64]) -> f64 {
        self.cache.copy_from_slice(x);
        self.cache[0]
    }
    fn ret(&mut self, x: f64) -> f64 {
        if let Some(l) = self.cache.last_mut() {
            *l = x;
        }
        self.cache[0]
    }
}
#[differentiable]
fn set_to(l: &mut f64, x: f64) {
    *l = x;
}
#[differentiable]
fn literal(x: f64) -> f64 {
    let m = Model {
        rate: x,
        last: x * 2.0,
        ..Default::default()
    };
    m.rate * m.last
}
#[derive(Differentiable, Clone)]
enum E {
    A {
        k: f64,
        #[constant]
        last: f64,
    },
    B(f64),
}
#[differentiable]
fn en(e: &mut E, x: f64) -> f64 {
    match e {
        E::A { k, last } => {
            *last = x;
            *k * *last
        }
        E::B(k) => *k,
    }
}
#[differentiable]
fn enl(x: f64) -> f64 {
    let e = E::A { k: x, last: x };
    match e {
        E::A { k, last } => k * last,
        E::B(k) => k,
    }
}
#[differentiable]
fn local(x: f64) -> f64 {
    let mut m = Model::default();
    m.rate = x;
    m.last = x;
    m.rate * m.last
}
fn main() {}
