// The filter of the ledger. The page holds every claim; this script hides those that nobody asked for.
//
// The choice stands in the address (?verdict=wrong&family=rotary&words=decay), so that it can be sent to someone,
// and an entry that a link leads to is always shown.

import { announcer, askedWords, holdsAll } from "./word-filter.js";

const form = document.querySelector(".ledger-filter");
const claims = [...document.querySelectorAll(".ledger-claim")].map((node) => ({
  node,
  text: [...node.querySelectorAll("h3, .ledger-says, .ledger-holds")].map((part) => part.textContent).join(" ").toLowerCase(),
}));
const verdicts = [...form.elements.verdict];
const { family, words } = form.elements;
const announce = announcer(form.querySelector("[role=status]"));

function show() {
  const wanted = new Set(verdicts.filter((box) => box.checked).map((box) => box.value));
  const asked = askedWords(words);
  let shown = 0;
  for (const { node, text } of claims) {
    const { verdict, family: own } = node.dataset;
    node.hidden = !(wanted.has(verdict) && (!family.value || own === family.value) && holdsAll(text, asked));
    shown += !node.hidden;
  }
  announce(`${shown} of ${claims.length} claims`);
}

function readAddress() {
  const given = new URLSearchParams(location.search);
  const wanted = given.getAll("verdict");
  for (const box of verdicts) box.checked = !wanted.length || wanted.includes(box.value);
  family.value = given.get("family") ?? "";
  if (family.selectedIndex < 0) family.value = "";
  words.value = given.get("words") ?? "";
}

function writeAddress() {
  const chosen = new URLSearchParams();
  const boxes = verdicts.filter((box) => box.checked);
  if (boxes.length < verdicts.length) for (const box of boxes) chosen.append("verdict", box.value);
  if (family.value) chosen.set("family", family.value);
  if (words.value.trim()) chosen.set("words", words.value.trim());
  const query = chosen.toString();
  history.replaceState(null, "", `${location.pathname}${query && "?"}${query}${location.hash}`);
}

// A link to an entry that the filter hides: all claims come back.
function showTarget() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target?.hidden) return;
  form.reset();
  target.scrollIntoView();
}

form.addEventListener("input", () => { show(); writeAddress(); });
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => {
  for (const field of form.elements) {
    if (field.type === "checkbox") field.checked = true;
    else if ("value" in field && field.type !== "reset") field.value = "";
  }
  show();
  writeAddress();
});
addEventListener("hashchange", showTarget);

readAddress();
form.hidden = false;
show();
showTarget();
