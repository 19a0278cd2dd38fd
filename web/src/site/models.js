// The filter of the table of models: it hides the rows that nobody asked for. The choice stands in the address
// (?known=maker&place=score&words=bloom), so that it can be sent to someone.

import { announcer, askedWords, holdsAll } from "./word-filter.js";

const form = document.querySelector(".models .ledger-filter");
const { place, method, words } = form.elements;
const boxes = [...form.elements.known];
const announce = announcer(form.querySelector("[role=status]"));
// "500000" finds 500,000 as well.
const searched = (text) => `${text} ${text.replace(/(\d),(?=\d)/g, "$1")}`.toLowerCase();
const rows = [...document.querySelectorAll(".models tbody tr")].map((node) => ({
  node,
  text: searched(node.textContent),
  places: node.dataset.places.split(" "),
  methods: node.dataset.methods.split(" "),
}));

function show() {
  const known = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  const asked = askedWords(words);
  for (const { node, text, places, methods } of rows) {
    node.hidden = !(known.has(node.dataset.known) && (!place.value || places.includes(place.value))
      && (!method.value || methods.includes(method.value)) && holdsAll(text, asked));
  }
  announce(`${rows.filter(({ node }) => !node.hidden).length} of ${rows.length} models`);
}

function readAddress() {
  const given = new URLSearchParams(location.search);
  const wanted = given.getAll("known");
  for (const box of boxes) box.checked = !wanted.length || wanted.includes(box.value);
  for (const select of [place, method]) {
    select.value = given.get(select.name) ?? "";
    if (select.selectedIndex < 0) select.value = "";
  }
  words.value = given.get("words") ?? "";
}

function writeAddress() {
  const chosen = new URLSearchParams();
  const checked = boxes.filter((box) => box.checked);
  if (checked.length < boxes.length) for (const box of checked) chosen.append("known", box.value);
  for (const field of [place, method, words]) if (field.value.trim()) chosen.set(field.name, field.value.trim());
  const query = chosen.toString();
  history.replaceState(null, "", `${location.pathname}${query && "?"}${query}${location.hash}`);
}

// A link to a row that the filter hides: all rows come back.
function showTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target?.hidden) return;
  form.reset();
  target.scrollIntoView();
}

form.addEventListener("input", () => { show(); writeAddress(); });
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => {
  for (const box of boxes) box.checked = true;
  for (const field of [place, method, words]) field.value = "";
  show();
  writeAddress();
});
addEventListener("hashchange", showTarget);

readAddress();
form.hidden = false;
show();
showTarget();
