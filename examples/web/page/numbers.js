// Numbers as text.

/** A number in five digits or, far from one, in three, with a real minus sign. */
function formatted(x) {
    const size = Math.abs(x);
    const isPlain = size === 0 || (size >= 0.001 && size < 1e5);
    const text = isPlain ? x.toPrecision(5) : x.toExponential(2);
    return text.replace(/-/g, "−");
}

/** An error in one digit. */
function rounded(x) {
    return x.toExponential(0).replace(/-/g, "−");
}

/** The Euclidean norm. */
function norm(numbers) {
    return Math.hypot(...numbers);
}

/** The number within the limits that is closest to `x`. */
function clamped(x, [least, most]) {
    return Math.min(Math.max(x, least), most);
}
