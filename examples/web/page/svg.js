// Elements of drawings.

/** Adds an element to a drawing. */
function drawn(parent, name, attributes, text = "") {
    const element = document.createElementNS("http://www.w3.org/2000/svg", name);
    changed(element, attributes);
    element.textContent = text;
    parent.append(element);
    return element;
}

/** Sets attributes of an element. */
function changed(element, attributes) {
    for (const [name, value] of Object.entries(attributes)) {
        element.setAttribute(name, value);
    }
}

/** A linear map of `[from, to]` to `[start, end]`, and its inverse. */
function scale([from, to], [start, end]) {
    const map = (x) => start + ((x - from) / (to - from)) * (end - start);
    map.inverse = (p) => from + ((p - start) / (end - start)) * (to - from);
    return map;
}

/** A path through points. */
function path(points) {
    return points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");
}
