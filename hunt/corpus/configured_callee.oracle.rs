use hunt::oracle::*;

pub fn chosen(p1: Vec<D>, p2: &[D], p3: D) -> D {
    let a = ({
        #[cfg(unix)]
        {
            p2[1]
        }
        #[cfg(not(unix))]
        {
            p3
        }
    })
    .cos();
    #[cfg(windows)]
    let b = p3;
    #[cfg(not(windows))]
    let b = p2[0];
    p1[1] * a + b
}

pub fn entry(x: &[D], y: &mut [D], s: D, c: &[D], n: usize) -> D {
    y[n] *= chosen(vec![s.tanh(); 4], x, c[0]);
    chosen(y.to_vec(), x, D::c(-0.8)) + y.iter().sum::<D>()
}
