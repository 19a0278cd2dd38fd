// Small things that every page needs and only a browser can know.

const SCROLLS = { tabindex: "0", role: "group", "aria-label": "wide formula, scrolls sideways" };

// A formula that is wider than its place scrolls: let the keyboard reach it.
function makeReachable(formula) {
  const wide = formula.scrollWidth > formula.clientWidth;
  for (const [name, value] of Object.entries(SCROLLS)) {
    if (wide) formula.setAttribute(name, value);
    else formula.removeAttribute(name);
  }
}

addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  await document.fonts.ready; // they decide how wide a formula is
  // The place changes with the window, and again when the theme moves its sidebars.
  const places = new ResizeObserver((entries) => entries.forEach(({ target }) => makeReachable(target)));
  for (const formula of document.querySelectorAll("div.math mjx-container")) places.observe(formula);
});
