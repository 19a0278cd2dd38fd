// Small things that every page needs and only a browser can know.

// A formula that is wider than a phone scrolls: let the keyboard reach it.
function makeWideFormulasReachable() {
  for (const formula of document.querySelectorAll("div.math mjx-container")) {
    const wide = formula.scrollWidth > formula.clientWidth;
    if (wide) {
      formula.setAttribute("tabindex", "0");
      formula.setAttribute("role", "group");
      formula.setAttribute("aria-label", "wide formula, scrolls sideways");
    } else if (formula.hasAttribute("tabindex")) {
      for (const name of ["tabindex", "role", "aria-label"]) formula.removeAttribute(name);
    }
  }
}

addEventListener("load", async () => {
  await window.MathJax?.startup?.promise;
  makeWideFormulasReachable();
  addEventListener("resize", makeWideFormulasReachable);
});
