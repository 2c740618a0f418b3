use chainrule::prelude::*;

#[differentiable]
fn f(x: f64) -> f64 {
    let mut y = x;
    #[cfg(target_os = "linux")]
    println!("linux");
    #[cfg(target_os = "macos")]
    println!("macos");
    #[cfg(target_os = "windows")]
    println!("windows");
    #[cfg(target_pointer_width = "64")]
    println!("64 bits");
    #[cfg(target_endian = "little")]
    println!("little endian");
    y *= x;
    y
}

fn main() {
    f::gradient(1.0);
}
