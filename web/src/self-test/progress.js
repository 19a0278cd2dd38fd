// The reader's progress: the state of every self-test, and export, import, reset. Nothing leaves this browser.
import { button, element } from "./elements.js";
import { STATE_WORDS } from "./frame.js";
import { exported, imported } from "./progress-file.js";
import { load, remove, save, watch } from "./storage.js";

const FILE_NAME = "pe_course-progress.json";

const root = document.querySelector(".reader-progress");
const rows = [...root.querySelectorAll("[data-self-test]")];
const ids = rows.map((row) => row.dataset.selfTest);
const status = element("p", { class: "self-test-status", role: "status" });
const dialog = resetDialog();

addControls();
watch(show);
show();

function show() {
  for (const row of rows) row.querySelector(".progress-state").textContent = STATE_WORDS[load(row.dataset.selfTest).state] ?? "not yet";
  for (const count of root.querySelectorAll(".progress-count")) {
    const inside = [...count.closest(".progress-chapter, .reader-progress").querySelectorAll("[data-self-test]")];
    const solved = inside.filter((row) => load(row.dataset.selfTest).state === "right").length;
    count.textContent = `${solved} of ${inside.length} solved`;
  }
}

function addControls() {
  const file = element("input", { type: "file", accept: ".json,application/json", class: "visually-hidden", tabindex: "-1", "aria-label": "Progress file", change: importFile });
  const place = root.querySelector(".progress-controls");
  place.append(
    element("div", { class: "self-test-buttons", role: "group", "aria-label": "Progress" },
      button("Export to a file", exportFile), button("Import a file", () => file.click()), button("Reset …", () => dialog.showModal()), file),
    status, dialog);
}

function exportFile() {
  const entries = Object.fromEntries(ids.map((id) => [id, load(id)]).filter(([, entry]) => Object.keys(entry).length));
  const address = URL.createObjectURL(new Blob([exported(entries)], { type: "application/json" }));
  element("a", { href: address, download: FILE_NAME }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
  say(`${counted(Object.keys(entries).length)} written to ${FILE_NAME}.`);
}

async function importFile({ target }) {
  const [file] = target.files;
  if (!file) return;
  try {
    const { changes, unknown } = imported(await file.text(), new Set(ids), load);
    const stored = Object.entries(changes).map(([id, entry]) => save(id, entry)).every(Boolean);
    const areNot = unknown === 1 ? "is not in this edition and was" : "are not in this edition and were";
    const ignored = unknown ? ` ${counted(unknown)} of the file ${areNot} left out.` : "";
    const lost = stored ? "" : " This browser does not store them: they stay until you leave this page.";
    say(`${counted(Object.keys(changes).length)} taken from ${file.name}.${ignored}${lost}`);
  } catch (problem) {
    say(`${file.name} was not imported: ${problem.message} Nothing was changed.`);
  }
  target.value = ""; // so that the same file can be chosen again
}

function resetDialog() {
  const close = (doIt) => () => {
    made.close();
    if (!doIt) return;
    ids.forEach(remove);
    say("All progress is removed.");
  };
  const made = element("dialog", { class: "progress-dialog", "aria-labelledby": "progress-question" },
    element("p", { id: "progress-question" }, "Remove all answers and all progress from this browser? There is no way back, except a file that you exported."),
    element("div", { class: "self-test-buttons" }, button("Keep everything", close(false), "main"), button("Remove everything", close(true))));
  return made;
}

function say(text) {
  status.textContent = text;
}

function counted(number) {
  return number === 1 ? "1 self-test" : `${number} self-tests`;
}
