// The page tries itself: it uses its own controls, and writes a report that the builder reads.

/** The fits from the starts that lead to the minimum, by both methods. */
function fits() {
    const results = [];
    for (let start = 0; start < 3; start++) {
        for (const marquardt of [false, true]) {
            const session = new chainrule_web.Session();
            for (let k = 0; k < start; k++) {
                session.next_start();
            }
            while (!session.is_at_rest()) {
                session.step(marquardt);
            }
            results.push({ start, marquardt, value: session.value(), parameters: Array.from(session.parameters()) });
            session.free();
        }
    }
    return results;
}

/** What the page should do. Each one starts at a page that is reset, and returns an error as text, or nothing. */
function trials(page) {
    const { session, chart } = page;
    const click = (id) => get(id).click();
    const choose = (method) => document.querySelector(`[name=method][value=${method}]`).click();
    const key = (element, key) => element.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    const isAgreed = () => document.querySelector("#agreement .good") !== null;
    const points = () => pairs(session.points());
    const expect = (isRight, error) => (isRight ? "" : error);
    /** Only numbers are shown and drawn, in both methods. */
    const finite = () => {
        for (const method of ["descent", "marquardt"]) {
            choose(method);
            for (let k = 0; k < 30; k++) {
                click("step");
                const wrong = /NaN|Infinity|undefined|null/.exec(document.querySelector(".column").innerHTML);
                if (wrong) {
                    return `${wrong[0]} by ${method} with the points ${JSON.stringify(points())}`;
                }
            }
        }
        return "";
    };
    const replace = (list) => chart.edit(list);
    return {
        "the source and the emitted rules are shown": () =>
            expect(get("source").textContent.includes("pub fn loss(") && get("rule-0").textContent.includes("fn __combined("), get("rule-0").textContent),
        "a step makes the sum of squares less": () => {
            const before = session.value();
            click("step");
            return expect(session.value() < before && get("iterations").textContent === "1", get("iterations").textContent);
        },
        "the gradient agrees with finite differences": () => expect(isAgreed(), get("agreement").textContent),
        "a slider moves its parameter": () => {
            const { slider } = page.rows[2];
            slider.value = 2.5;
            slider.dispatchEvent(new Event("input"));
            return expect(session.parameters()[2] === 2.5 && page.rows[2].value.textContent === "2.5000", page.rows[2].value.textContent);
        },
        "arrow keys move a point": () => {
            const [t, y] = points()[3];
            key(chart.dots.children[3], "ArrowUp");
            key(chart.dots.children[3], "ArrowLeft");
            const [left, up] = points()[3];
            return expect(Math.abs(left - t + 0.1) < 1e-12 && Math.abs(up - y - 0.1) < 1e-12, `${left}, ${up}`);
        },
        "a pointer drags a point, but not out of the frame": () => {
            const dot = chart.dots.children[5];
            const box = dot.getBoundingClientRect();
            const pointer = (name, x, y, target) =>
                target.dispatchEvent(new PointerEvent(name, { clientX: x, clientY: y, bubbles: true, cancelable: true }));
            const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
            pointer("pointerdown", x, y, dot);
            pointer("pointermove", x + 40, y + 30, window);
            const [before, [t, height]] = [[3.3, 1.11], points()[5]];
            pointer("pointermove", x + 40, y + 5000, window);
            const [, lowest] = points()[5];
            pointer("pointerup", x, y, window);
            pointer("pointermove", x, y, window);
            const isRight = t > before[0] && height < before[1] && lowest === chainrule_web.frame()[2] && points()[5][1] === lowest;
            return expect(isRight, `${t}, ${height}, ${lowest}`);
        },
        "points are added and removed": () => {
            const count = points().length;
            click("add");
            const more = points().length;
            const area = chart.svg.getBoundingClientRect();
            chart.svg.dispatchEvent(new MouseEvent("dblclick", { clientX: area.x + area.width / 2, clientY: area.y + 60, bubbles: true }));
            const most = points().length;
            key(chart.dots.children[0], "Delete");
            click("remove");
            return expect(more === count + 1 && most === count + 2 && points().length === count, `${more}, ${most}, ${points().length}`);
        },
        "the next start is another one": () => {
            click("next");
            return expect(session.parameters()[0] === 2.5, `${session.parameters()}`);
        },
        "Run goes on until the fit is at rest, and follows a change": async () => {
            choose("marquardt");
            click("run");
            const rested = async () => {
                for (let k = 0; k < 400 && !session.is_at_rest(); k++) {
                    await new Promise((resolve) => setTimeout(resolve, 20));
                }
                return session.is_at_rest();
            };
            const [first, before] = [await rested(), session.value()];
            key(chart.dots.children[2], "ArrowUp");
            const isWoken = !session.is_at_rest();
            const second = await rested();
            const isRight = first && isWoken && second && session.value() !== before && get("run").textContent === "Pause" && isAgreed();
            click("run");
            return expect(isRight && get("state").textContent === "at rest", get("state").textContent);
        },
        "tabs choose a rule": () => {
            get("tab-1").click();
            const isShown = get("rule-0").hidden && !get("rule-1").hidden;
            key(get("tab-1"), "ArrowLeft");
            return expect(isShown && get("rule-1").hidden && !get("rule-0").hidden, "another rule is shown");
        },
        "no points": () => {
            while (points().length) {
                click("remove");
            }
            return finite() || expect(get("remove").disabled && get("state").textContent === "no points", get("state").textContent);
        },
        "one point": () => (replace([[4, 1.5]]), finite()),
        "points at one time": () => (replace([[2, 1], [2, -1], [2, 2]]), finite()),
        "points that are not numbers": () => (replace([[NaN, 1], [3, Infinity], [1, 1], [5, 0]]), expect(points().length === 2, `${points()}`) || finite()),
        "frequency zero": () => {
            page.rows[2].slider.value = 0;
            page.rows[2].slider.dispatchEvent(new Event("input"));
            return finite();
        },
        "the page isn't wider than the window": () => {
            const { scrollWidth, clientWidth } = document.documentElement;
            return expect(scrollWidth <= clientWidth, `${scrollWidth} of ${clientWidth}`);
        },
        "there is no error": () => expect(get("failure").hidden, get("failure").textContent),
    };
}

/** Tries everything, and writes the report into the document. */
async function check(page) {
    // A browser without a window draws no frames while its clock runs ahead.
    window.requestAnimationFrame = (frame) => setTimeout(() => frame(performance.now()), 16);
    const actions = [];
    for (const [name, trial] of Object.entries(trials(page))) {
        document.querySelector("[name=method][value=descent]").click();
        get("reset").click();
        let detail;
        try {
            detail = await trial();
        } catch (error) {
            detail = `${error}`;
        }
        actions.push({ name, ok: !detail, detail });
    }
    const report = document.createElement("script");
    report.type = "application/json";
    report.id = "report";
    report.textContent = JSON.stringify({ actions, fits: fits() });
    document.body.append(report);
}
