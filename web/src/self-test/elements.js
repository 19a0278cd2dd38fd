// Small helpers to make HTML by hand.

/** An element with attributes (functions become listeners, true and false toggle) and children. */
export function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value);
    else if (typeof value === "boolean") node.toggleAttribute(name, value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

export function button(label, pressed, look = "") {
  return element("button", { type: "button", class: `self-test-button ${look}`.trim(), click: pressed }, label);
}

const MARKED = /(`[^`]+`|\$[^$\s][^$]*\$)/;

/** Plain text with `code` and $formulas$, the form in which the grader speaks, as nodes. */
export function prose(text) {
  const nodes = text.split(MARKED).filter(Boolean).map((part) => {
    if (!MARKED.test(part)) return part;
    const inside = part.slice(1, -1);
    return part[0] === "`" ? element("code", {}, inside) : element("span", { class: "math" }, `\\(${inside}\\)`);
  });
  return nodes;
}

/** Puts text into a node; formulas are set where the page has MathJax. */
export function write(node, text) {
  node.replaceChildren(...prose(text));
  if (node.querySelector(".math")) window.MathJax?.typesetPromise?.([node]);
}
