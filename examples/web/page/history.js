// The chart of the sum of squares and of the gradient over the iterations, on a logarithmic scale.

class Descent {
    constructor(svg) {
        this.svg = svg;
        this.clear();
    }

    /** Forgets all iterations. */
    clear() {
        this.values = [];
        this.norms = [];
    }

    /** Adds an iteration. */
    push(value, norm) {
        this.values.push(value);
        this.norms.push(norm);
    }

    draw() {
        const { svg } = this;
        svg.replaceChildren();
        const logarithms = [...this.values, ...this.norms].filter((x) => x > 0).map(Math.log10);
        // Always at least three decades, so that noise doesn't look like a mountain.
        const most = Math.ceil(logarithms.reduce((a, b) => Math.max(a, b), -12));
        const least = Math.min(Math.floor(logarithms.reduce((a, b) => Math.min(a, b), most)), most - 3);
        const last = Math.max(this.values.length - 1, 10);
        const x = scale([0, last], [44, 628]);
        const y = scale([least, most], [172, 10]);

        const decades = Math.ceil((most - least) / 6);
        for (let power = most; power >= least; power -= decades) {
            drawn(svg, "line", { class: "grid", x1: 44, x2: 628, y1: y(power), y2: y(power) });
            const label = drawn(svg, "text", { x: 38, y: y(power) + 4, "text-anchor": "end" }, "10");
            drawn(label, "tspan", { dy: -5, "font-size": "75%" }, `${power}`.replace("-", "−"));
        }
        const unit = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((unit) => last / unit <= 8) ?? 10000;
        for (let k = 0; k <= last; k += unit) {
            drawn(svg, "text", { x: x(k), y: 192, "text-anchor": "middle" }, `${k}`);
        }
        drawn(svg, "line", { class: "axis", x1: 44, x2: 628, y1: 172, y2: 172 });
        this.line(this.norms, "norm", x, y);
        this.line(this.values, "value", x, y);
    }

    /** A line through the numbers that have a logarithm, with a dot at the last one. */
    line(numbers, name, x, y) {
        const points = numbers.map((number, k) => [x(k), y(Math.log10(number))]).filter(([, y]) => Number.isFinite(y));
        drawn(this.svg, "path", { class: name, d: path(points) });
        const end = points.at(-1);
        if (end) {
            drawn(this.svg, "circle", { class: name, cx: end[0], cy: end[1], r: 3.5 });
        }
    }
}
