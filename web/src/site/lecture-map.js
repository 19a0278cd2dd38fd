// The filter of the lecture's map: it hides the items that nobody asked for, and sets of notes with none left.

import { announcer, askedWords, holdsAll } from "./word-filter.js";

const form = document.querySelector(".lecture-map .ledger-filter");
const { words } = form.elements;
const announce = announcer(form.querySelector("[role=status]"));
const sets = [...document.querySelectorAll(".lecture-notes")];
const items = [...document.querySelectorAll(".lecture-notes tbody tr")].map((node) => ({
  node,
  text: node.textContent.toLowerCase(),
}));

function show() {
  const asked = askedWords(words);
  for (const { node, text } of items) node.hidden = !holdsAll(text, asked);
  for (const set of sets) set.hidden = !set.querySelector("tbody tr:not([hidden])");
  announce(`${items.filter(({ node }) => !node.hidden).length} of ${items.length} items`);
}

// A link to an item that the filter hides: all items come back.
function showTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target?.hidden) return;
  form.reset();
  target.scrollIntoView();
}

form.addEventListener("input", show);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => {
  words.value = "";
  show();
});
addEventListener("hashchange", showTarget);

form.hidden = false;
show();
