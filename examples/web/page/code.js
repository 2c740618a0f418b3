// Colours for Rust code, and the tabs that choose a rule.

const TOKENS = new RegExp(
    [
        /(?<comment>\/\/.*)/,
        /(?<attribute>#!?\[[^\]]*\])/,
        /(?<cotangent>\b[a-z]\w*_(?:bar|dot)(?:_\d+)?\b)/,
        /(?<keyword>\b(?:as|const|else|fn|for|if|impl|in|let|move|mut|pub|return|use|while)\b)/,
        /(?<number>(?<![\w.])\d[\d_]*(?:\.\d+)?(?:f64|usize)?\b)/,
        /(?<call>\b[a-z]\w*(?=\())/,
    ]
        .map((token) => token.source)
        .join("|"),
    "g",
);

/** Colours the text of an element. */
function colour(element) {
    const text = element.textContent;
    const parts = [];
    let end = 0;
    for (const match of text.matchAll(TOKENS)) {
        const [name] = Object.entries(match.groups).find(([, found]) => found !== undefined);
        const part = document.createElement("span");
        part.className = name;
        part.textContent = match[0];
        parts.push(text.slice(end, match.index), part);
        end = match.index + match[0].length;
    }
    element.replaceChildren(...parts, text.slice(end));
}

/** Lets the tabs of a list choose their panels, by pointer and by arrow keys. */
function connectTabs(list) {
    const tabs = Array.from(list.querySelectorAll("[role=tab]"));
    const choose = (chosen) => {
        for (const tab of tabs) {
            const isChosen = tab === chosen;
            tab.setAttribute("aria-selected", isChosen);
            tab.tabIndex = isChosen ? 0 : -1;
            document.getElementById(tab.getAttribute("aria-controls")).hidden = !isChosen;
        }
    };
    tabs.forEach((tab, k) => {
        tab.addEventListener("click", () => choose(tab));
        tab.addEventListener("keydown", (event) => {
            const step = { ArrowRight: 1, ArrowLeft: tabs.length - 1 }[event.key];
            if (step) {
                const next = tabs[(k + step) % tabs.length];
                choose(next);
                next.focus();
                event.preventDefault();
            }
        });
    });
}
