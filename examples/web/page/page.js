// The page: it shows a fit, and passes what the user does to it.

/** The time between two steps of Levenberg and Marquardt, in milliseconds: slow enough to be seen. */
const PAUSE = 160;

const get = (id) => document.getElementById(id);
const pairs = (numbers) => Array.from({ length: numbers.length / 2 }, (_, k) => [numbers[2 * k], numbers[2 * k + 1]]);

class Page {
    constructor() {
        this.session = new chainrule_web.Session();
        this.isRunning = false;
        this.isScheduled = false;
        this.lastStep = 0;
        this.descent = new Descent(get("history"));
        this.chart = new Chart(get("chart"), pairs(chainrule_web.frame()), (points) => {
            this.session.set_points(Float64Array.from(points.flat()));
            this.restart();
        });
        this.rows = this.addRows();

        get("source").textContent = chainrule_web.model_source().trimEnd();
        document.querySelectorAll("code.rust").forEach(colour);
        document.querySelectorAll("[role=tablist]").forEach(connectTabs);

        get("run").addEventListener("click", () => this.run(!this.isRunning));
        get("step").addEventListener("click", () => {
            this.run(false);
            this.step();
            this.draw();
        });
        get("reset").addEventListener("click", () => {
            this.run(false);
            this.session.reset();
            this.restart();
        });
        get("next").addEventListener("click", () => {
            this.session.next_start();
            this.restart();
        });
        get("add").addEventListener("click", () => this.chart.addInGap());
        get("remove").addEventListener("click", () => this.chart.remove());
        for (const method of document.querySelectorAll("[name=method]")) {
            method.addEventListener("change", () => {
                this.isWoken = true;
                this.schedule();
                this.draw();
            });
        }
        this.restart();
    }

    /** One row for each parameter: a slider, and cells for numbers. */
    addRows() {
        const ranges = pairs(chainrule_web.ranges());
        return chainrule_web.names().map((name, k) => {
            const row = document.createElement("div");
            row.className = "row";
            row.setAttribute("role", "row");
            const [least, most] = ranges[k];
            row.innerHTML = `<span role="rowheader"><label>${name} <input type="range" min="${least}" max="${most}" step="0.01"></label></span>
                <span class="cell of-value" role="cell"></span>
                <span class="cell of-gradient" role="cell"></span>
                <span class="cell of-difference" role="cell"></span>
                <span role="cell"><span class="pull" role="img"><i></i></span></span>`;
            get("parameters").append(row);
            const slider = row.querySelector("input");
            slider.addEventListener("input", () => {
                this.session.set_parameter(k, Number(slider.value));
                this.restart();
            });
            return {
                name,
                slider,
                value: row.querySelector(".of-value"),
                gradient: row.querySelector(".of-gradient"),
                difference: row.querySelector(".of-difference"),
                pull: row.querySelector(".pull"),
            };
        });
    }

    get isByMarquardt() {
        return document.querySelector("[name=method]:checked").value === "marquardt";
    }

    /** Whether another step may move the parameters. */
    get isMoving() {
        return this.isWoken || !this.session.is_at_rest();
    }

    /** After a change of points or parameters: the iterations are counted anew from here. */
    restart() {
        this.startCurve = this.session.curve(Float64Array.from(this.chart.times));
        this.isWoken = false;
        this.descent.clear();
        this.record();
        this.draw();
        this.schedule();
    }

    record() {
        this.descent.push(this.session.value(), norm(this.session.gradient()));
    }

    /** One iteration. */
    step() {
        const before = this.session.iterations();
        this.session.step(this.isByMarquardt);
        this.isWoken = false;
        if (this.session.iterations() > before) {
            this.record();
        }
    }

    /** Starts or stops the iterations. While they run, the curve follows each change. */
    run(isRunning) {
        this.isRunning = isRunning;
        get("run").textContent = isRunning ? "Pause" : "Run";
        get("run").setAttribute("aria-pressed", isRunning);
        this.schedule();
        this.draw();
    }

    schedule() {
        if (this.isRunning && this.isMoving && !this.isScheduled) {
            this.isScheduled = true;
            requestAnimationFrame((time) => {
                this.isScheduled = false;
                this.animate(time);
                this.schedule();
            });
        }
    }

    /** The steps of one frame: more of them after many iterations, and all of them for whoever wants no motion. */
    animate(time) {
        if (!this.isRunning || (this.isByMarquardt && time - this.lastStep < PAUSE && time > this.lastStep)) {
            return;
        }
        this.lastStep = time;
        const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
        const faster = this.isByMarquardt ? 1 : 1 + Math.floor(this.session.iterations() / 50);
        for (let k = 0; k < (isStill ? 5000 : faster) && this.isMoving; k++) {
            this.step();
        }
        this.draw();
    }

    draw() {
        const { session, chart } = this;
        const points = pairs(session.points());
        const atPoints = session.curve(Float64Array.from(points.map(([t]) => t)));
        chart.draw(points, session.curve(Float64Array.from(chart.times)), atPoints, this.startCurve);
        this.descent.draw();
        get("remove").disabled = points.length === 0;

        const gradient = Array.from(session.gradient());
        get("iterations").textContent = session.iterations();
        get("value").textContent = formatted(session.value());
        get("norm").textContent = formatted(norm(gradient));
        const state = this.state(points.length);
        // Read aloud only when it changes.
        if (get("state").textContent !== state) {
            get("state").textContent = state;
        }
        this.drawParameters(gradient, Array.from(session.differences()));
    }

    state(count) {
        if (count === 0) {
            return "no points";
        }
        if (!this.isMoving) {
            return "at rest";
        }
        return this.isRunning ? "descending" : "ready";
    }

    drawParameters(gradient, differences) {
        const largest = Math.max(...gradient.map(Math.abs));
        this.session.parameters().forEach((parameter, k) => {
            const row = this.rows[k];
            row.slider.value = parameter;
            row.value.textContent = formatted(parameter);
            row.gradient.textContent = formatted(gradient[k]);
            row.difference.textContent = formatted(differences[k]);
            const share = largest > 0 ? gradient[k] / largest : 0;
            const width = 50 * Math.abs(share);
            changed(row.pull.firstChild, { style: `width: ${width}%; left: ${share > 0 ? 50 - width : 50}%` });
            const direction = share === 0 ? "neither way" : share > 0 ? "less" : "more";
            changed(row.pull, { "aria-label": `downhill: ${direction} ${row.name}` });
        });
        const distance = Math.max(...gradient.map((g, k) => Math.abs(g - differences[k])));
        // Rounding of the sum of squares limits what differences can say about a small gradient.
        const noise = 1e-9 * (1 + this.session.value());
        const isGood = distance <= 1e-7 * largest + noise;
        const verdict = document.createElement("span");
        verdict.className = isGood ? "good" : "bad";
        verdict.textContent = isGood ? "✓ The gradient agrees with finite differences" : "The gradient differs from finite differences";
        const detail = distance > 0 ? ` to ${rounded(distance)}; its largest component is ${formatted(largest)}.` : " exactly.";
        get("agreement").replaceChildren(verdict, detail);
    }
}

/** Shows an error, instead of a page that does nothing. */
function fail(error) {
    get("failure").hidden = false;
    get("failure").textContent = `The page fails: ${error?.message ?? error}`;
}

/** Starts the page. Its address may say how: `#steps=12` takes steps, `#check` tries the page on itself. */
async function start() {
    const text = atob(get("wasm").textContent);
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    await chainrule_web({ module_or_path: bytes });
    const page = new Page();
    const steps = /^#steps=(\d+)$/.exec(location.hash);
    for (let k = 0; k < Math.min(Number(steps?.[1] ?? 0), 5000); k++) {
        page.step();
    }
    page.draw();
    if (location.hash === "#check") {
        await check(page);
    }
}

window.addEventListener("error", (event) => fail(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => fail(event.reason));
// After all scripts, of which one follows this one.
window.addEventListener("DOMContentLoaded", start);
