// The chart of points and curve, in which the points can be moved.

class Chart {
    /** A chart of `[times, heights]` in `svg`. It calls `edit` with the points after each change of them. */
    constructor(svg, [times, heights], edit) {
        this.svg = svg;
        this.frame = [times, heights];
        this.edit = edit;
        this.points = [];
        this.chosen = -1;
        this.x = scale(times, [40, 628]);
        this.y = scale(heights, [318, 8]);
        this.times = Array.from({ length: 241 }, (_, k) => times[0] + ((times[1] - times[0]) * k) / 240);

        const area = { x: 40, y: 8, width: 588, height: 310 };
        drawn(drawn(svg, "clipPath", { id: "frame" }), "rect", area);
        // What a double click meets.
        drawn(svg, "rect", { ...area, fill: "transparent" });
        for (let t = times[0]; t <= times[1]; t += 2) {
            drawn(svg, "line", { class: "grid", x1: this.x(t), x2: this.x(t), y1: 8, y2: 318 });
            drawn(svg, "text", { x: this.x(t), y: 336, "text-anchor": "middle" }, `${t}`);
        }
        for (let y = Math.ceil(heights[0]); y <= heights[1]; y++) {
            drawn(svg, "line", { class: y ? "grid" : "axis", x1: 40, x2: 628, y1: this.y(y), y2: this.y(y) });
            drawn(svg, "text", { x: 32, y: this.y(y) + 4, "text-anchor": "end" }, `${y}`.replace("-", "−"));
        }
        const lines = drawn(svg, "g", { "clip-path": "url(#frame)" });
        this.start = drawn(lines, "path", { class: "start" });
        this.residuals = drawn(lines, "g", {});
        this.curve = drawn(lines, "path", { class: "curve" });
        this.dots = drawn(svg, "g", {});

        svg.addEventListener("dblclick", (event) => {
            if (!event.target.closest(".point")) {
                this.add(this.place(event));
            }
        });
    }

    /** Draws points, the heights of the curve at `times` and at the points, and the heights where the fit started. */
    draw(points, curve, atPoints, start) {
        const pathOf = (heights) => path(this.times.map((t, k) => [this.x(t), this.y(clamped(heights[k], [-50, 50]))]));
        this.points = points;
        changed(this.curve, { d: pathOf(curve) });
        changed(this.start, { d: pathOf(start) });
        while (this.dots.children.length < points.length) {
            this.addDot();
        }
        while (this.dots.children.length > points.length) {
            this.dots.lastChild.remove();
            this.residuals.lastChild.remove();
        }
        if (this.chosen >= points.length) {
            this.chosen = -1;
        }
        points.forEach(([t, y], k) => {
            const [x, top] = [this.x(t), this.y(y)];
            const dot = this.dots.children[k];
            changed(dot, {
                transform: `translate(${x.toFixed(2)} ${top.toFixed(2)})`,
                "aria-label": `Point ${k + 1} of ${points.length}: time ${t.toFixed(2)}, height ${y.toFixed(2)}`,
            });
            dot.classList.toggle("chosen", k === this.chosen);
            const end = this.y(clamped(atPoints[k], [-50, 50]));
            changed(this.residuals.children[k], { x1: x, x2: x, y1: top, y2: end });
        });
    }

    /** Adds a point, and chooses it. */
    add(point) {
        this.chosen = this.points.length;
        this.edit([...this.points, this.within(point)]);
    }

    /** Adds a point on the curve, in the middle of the longest time without points. */
    addInGap() {
        const [first, last] = this.frame[0];
        const times = [first, ...this.points.map(([t]) => t).sort((a, b) => a - b), last];
        let widest = 1;
        for (let k = 2; k < times.length; k++) {
            if (times[k] - times[k - 1] > times[widest] - times[widest - 1]) {
                widest = k;
            }
        }
        this.add([(times[widest - 1] + times[widest]) / 2, 0]);
    }

    /** Removes the chosen point, or the last one. */
    remove(k = this.chosen < 0 ? this.points.length - 1 : this.chosen) {
        const isFocused = this.dots.contains(document.activeElement);
        this.chosen = -1;
        this.edit(this.points.filter((_, other) => other !== k));
        if (isFocused && this.points.length) {
            this.dots.children[Math.min(k, this.points.length - 1)].focus();
        }
    }

    /** Moves a point. */
    move(k, point) {
        this.edit(this.points.map((old, other) => (other === k ? this.within(point) : old)));
    }

    within(point) {
        return point.map((x, k) => clamped(x, this.frame[k]));
    }

    /** The time and the height under a pointer. */
    place(event) {
        const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
        return [this.x.inverse(at.x), this.y.inverse(at.y)];
    }

    addDot() {
        const k = this.dots.children.length;
        drawn(this.residuals, "line", { class: "residual" });
        const dot = drawn(this.dots, "g", { class: "point", tabindex: 0, role: "button", "aria-roledescription": "point to move" });
        drawn(dot, "circle", { class: "hit", r: 15 });
        drawn(dot, "circle", { class: "dot", r: 6.5 });
        dot.addEventListener("focus", () => this.choose(k));
        dot.addEventListener("pointerdown", (event) => this.drag(event, k));
        dot.addEventListener("keydown", (event) => this.key(event, k));
    }

    choose(k) {
        this.chosen = k;
        Array.from(this.dots.children).forEach((dot, other) => dot.classList.toggle("chosen", other === k));
    }

    /** The point follows the pointer until that is released. */
    drag(event, k) {
        event.preventDefault();
        this.dots.children[k].focus({ preventScroll: true });
        this.choose(k);
        const start = this.place(event);
        const [t, y] = this.points[k];
        const move = (event) => {
            const at = this.place(event);
            this.move(k, [t + at[0] - start[0], y + at[1] - start[1]]);
        };
        const end = () => {
            window.removeEventListener("pointermove", move);
            window.removeEventListener("pointerup", end);
            window.removeEventListener("pointercancel", end);
        };
        window.addEventListener("pointermove", move);
        window.addEventListener("pointerup", end);
        window.addEventListener("pointercancel", end);
    }

    /** Arrow keys move a point, with Shift further. Delete removes it. */
    key(event, k) {
        const step = event.shiftKey ? 0.5 : 0.1;
        const [t, y] = this.points[k];
        const moved = {
            ArrowLeft: [t - step, y],
            ArrowRight: [t + step, y],
            ArrowUp: [t, y + step],
            ArrowDown: [t, y - step],
        }[event.key];
        if (moved) {
            this.move(k, moved);
        } else if (event.key === "Delete" || event.key === "Backspace") {
            this.remove(k);
        } else {
            return;
        }
        event.preventDefault();
    }
}
