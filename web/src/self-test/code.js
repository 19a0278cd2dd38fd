// A function to write: editor, Run, Check, Stop. Python answers from its worker.
import { element } from "./elements.js";
import { ask, isStarted, stop } from "./python.js";

const HERE = new URL(".", document.currentScript.src).href;
const NEAR = "600px"; // how far below the screen an editor is made
const KEYS = "Ctrl-Enter checks. Tab indents; Esc, then Tab leaves the editor.";

export function startCode(test) {
  const { starter } = test.data;
  const label = `Your code: ${test.title}`;
  const help = element("p", { class: "self-test-help", id: `${test.section.id}-keys` }, KEYS);
  const box = element("div", { class: "self-test-editor" });
  const remember = (answer) => test.remember({ answer });
  let editor = plainEditor(box, { text: test.memory.answer ?? starter, label, changed: remember });
  test.section.querySelector(".self-test-starter").hidden = true;
  test.work.prepend(box, help);

  const check = () => answer(test, "grade", editor.text, controls);
  const run = test.addButton("Run", () => answer(test, "run", editor.text, controls));
  const checkButton = test.addButton("Check", check, "main");
  const stopButton = test.addButton("Stop", stop);
  stopButton.hidden = true;
  const controls = { run, check: checkButton, stop: stopButton };
  test.addHintAndReset(() => {
    editor.text = starter;
    test.forget(); // setting the text has just been remembered
  }, "Back to the beginning. Ctrl-Z in the editor brings your text back.");

  whenNear(box, async () => {
    const createEditor = await loadEditor();
    const hadFocus = box.contains(document.activeElement);
    const { text } = editor;
    box.replaceChildren();
    editor = createEditor(box, { text, label, describedBy: help.id, changed: remember, submit: check });
    if (hadFocus) editor.focus();
  });
}

async function answer(test, task, source, { run, check, stop: stopButton }) {
  if (check.getAttribute("aria-disabled")) return;
  const busy = (now) => {
    for (const node of [run, check]) now ? node.setAttribute("aria-disabled", "true") : node.removeAttribute("aria-disabled");
    if (!now && document.activeElement === stopButton) check.focus();
    stopButton.hidden = !now;
  };
  busy(true);
  test.say(isStarted() ? "Running …" : "Fetching Python: 6 MB, the first time only …");
  try {
    const result = await ask({ task, exercise: test.id, source }, () => test.say("Running …"));
    if (task === "grade") test.judge(result);
    else showRun(test, result);
  } catch (problem) {
    test.say(problem.message);
  } finally {
    busy(false);
  }
}

function showRun(test, { output, error }) {
  if (error) test.show({ verdict: "error", message: error, output });
  else test.say(output ? "It ran. What it printed stands below." : "It ran and printed nothing: `print` shows a value.");
  if (output && !error) test.print(output);
}

// A text field until the editor has arrived, and for good where it does not.
function plainEditor(box, { text, label, changed }) {
  const field = element("textarea", {
    class: "self-test-text", "aria-label": label, rows: Math.max(4, text.split("\n").length + 1),
    spellcheck: "false", autocapitalize: "off", autocomplete: "off", input: () => changed(field.value),
  });
  field.value = text;
  box.append(field);
  return { get text() { return field.value; }, set text(value) { field.value = value; } };
}

function whenNear(node, action) {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    action().catch(() => {}); // the text field stays
  }, { rootMargin: NEAR });
  observer.observe(node);
}

let editorScript = null;

// A classic script, which also loads from a file on disk.
function loadEditor() {
  editorScript ??= new Promise((resolve, reject) => {
    const src = `${HERE}editor.js?v=${EDITOR_VERSION}`;
    document.head.append(element("script", { src, load: () => resolve(window.selfTestEditor.createEditor), error: reject }));
  });
  return editorScript;
}
