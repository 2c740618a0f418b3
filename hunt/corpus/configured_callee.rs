use chainrule::prelude::*;

#[differentiable]
pub fn chosen(p1: Vec<f64>, p2: &[f64], p3: f64) -> f64 {
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

#[differentiable]
pub fn entry(x: &[f64], y: &mut [f64], s: f64, #[constant] c: &[f64], #[constant] n: usize) -> f64 {
    y[n] *= chosen(vec![s.tanh(); 4], x, c[0]);
    chosen(y.to_vec(), x, -0.8) + y.iter().sum::<f64>()
}
