//! Spheres, seen and lit: the derivative of pixels with respect to the scene.

use chainrule::prelude::*;

use crate::check::{flat, map_table, table};

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct V3 {
    x: f64,
    y: f64,
    z: f64,
}

#[derive(Clone, Debug, PartialEq, Differentiable)]
struct Sphere {
    centre: V3,
    radius: f64,
    albedo: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Differentiable)]
struct Ray {
    origin: V3,
    direction: V3,
}

flat!(V3 {
    x: f64,
    y: f64,
    z: f64
});
flat!(Sphere {
    centre: V3,
    radius: f64,
    albedo: f64
});
flat!(Ray {
    origin: V3,
    direction: V3
});

#[differentiable]
impl V3 {
    fn new(x: f64, y: f64, z: f64) -> Self {
        V3 { x, y, z }
    }

    fn plus(self, other: V3) -> V3 {
        V3::new(self.x + other.x, self.y + other.y, self.z + other.z)
    }

    fn times(self, k: f64) -> V3 {
        V3::new(self.x * k, self.y * k, self.z * k)
    }

    fn minus(self, other: V3) -> V3 {
        self.plus(other.times(-1.0))
    }

    fn dot(&self, other: &V3) -> f64 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn normalized(self) -> V3 {
        self.times(1.0 / self.dot(&self).sqrt())
    }
}

#[differentiable]
impl Ray {
    fn at(&self, t: f64) -> V3 {
        self.origin.plus(self.direction.times(t))
    }
}

#[differentiable]
impl Sphere {
    /// How far along the ray it is hit; infinity where it isn't.
    fn distance(&self, ray: &Ray) -> f64 {
        let to = self.centre.minus(ray.origin);
        let along = to.dot(&ray.direction);
        let discriminant = along * along - to.dot(&to) + self.radius * self.radius;
        if discriminant < 0.0 {
            return f64::INFINITY;
        }
        let t = along - discriminant.sqrt();
        if t < 1e-6 {
            return f64::INFINITY;
        }
        t
    }
}

#[differentiable]
#[inline(never)]
fn trace(spheres: &[Sphere], light: V3, ray: &Ray) -> f64 {
    let mut nearest = f64::INFINITY;
    let mut hit = spheres.len();
    for (k, sphere) in spheres.iter().enumerate() {
        let t = sphere.distance(ray);
        if t < nearest {
            nearest = t;
            hit = k;
        }
    }
    if hit == spheres.len() {
        return 0.1 * (1.0 + ray.direction.y);
    }
    let sphere = &spheres[hit];
    let p = ray.at(nearest);
    let normal = p.minus(sphere.centre).times(1.0 / sphere.radius);
    let to_light = light.minus(p);
    let lambert = normal.dot(&to_light.normalized()).max(0.0);
    sphere.albedo * (0.1 + lambert / (1.0 + to_light.dot(&to_light)))
}

#[differentiable]
#[inline(never)]
fn image(spheres: &[Sphere], light: V3, width: usize) -> Vec<f64> {
    let mut pixels = vec![0.0; width * width];
    for row in 0..width {
        for column in 0..width {
            let x = (column as f64 + 0.5) / width as f64 - 0.5;
            let y = 0.5 - (row as f64 + 0.5) / width as f64;
            let direction = V3::new(x, y, -1.0).normalized();
            let ray = Ray {
                origin: V3::new(0.0, 0.0, 1.0),
                direction,
            };
            pixels[row * width + column] = trace(spheres, light, &ray);
        }
    }
    pixels
}

#[differentiable]
fn brightness(spheres: &[Sphere], light: V3, width: usize) -> f64 {
    let pixels = image(spheres, light, width);
    let mut total = 0.0;
    for p in &pixels {
        total += p * p;
    }
    total
}

fn spheres(n: usize) -> Vec<Sphere> {
    let all = [
        Sphere {
            centre: V3 {
                x: 0.05,
                y: -0.1,
                z: -2.0,
            },
            radius: 0.6,
            albedo: 0.8,
        },
        Sphere {
            centre: V3 {
                x: -0.3,
                y: 0.4,
                z: -1.2,
            },
            radius: 0.25,
            albedo: 0.5,
        },
    ];
    all[..n].to_vec()
}

const LIGHT: V3 = V3 {
    x: 1.0,
    y: 1.5,
    z: 0.5,
};

table! {
    brightness: for n in 0..3, (&spheres(n), LIGHT, const 3);
}

map_table! {
    image: for n in 0..3, (&spheres(n), LIGHT, const 2);
}
