// What all kinds of self-test share: the row of buttons, the verdict, hints, the solution, and what is remembered.
import { button, element, prose, write } from "./elements.js";
import { load, raise, remove, save, watch } from "./storage.js";

export const STATE_WORDS = { right: "✓ solved", "seen solution": "solution seen", tried: "tried" };
const SIGNS = { right: "✓", "other convention": "≈", wrong: "✗", "not attempted": "…", error: "!" };
const NOT_STORED = "This browser does not let the page keep your answer: it stays until you leave this page.";

export class SelfTest {
  constructor(section) {
    this.section = section;
    this.id = section.dataset.selfTest;
    this.kind = section.dataset.kind;
    this.title = section.querySelector(".self-test-title-words").textContent;
    this.data = JSON.parse(section.querySelector("script[type='application/json']").textContent);
    this.work = section.querySelector(".self-test-work");
    this.hints = [...section.querySelectorAll(".self-test-hint")];
    this.solution = section.querySelector(".self-test-solution");
    this.buttons = element("div", { class: "self-test-buttons", role: "group", "aria-label": `Answer: ${this.title}` });
    this.status = element("div", { class: "self-test-status", role: "status" });
    this.details = element("div", { class: "self-test-details" });
    this.notice = element("p", { class: "self-test-notice", role: "status" });
    this.voice = element("p", { class: "visually-hidden", role: "status" }); // says what others see elsewhere
    this.work.append(this.buttons, this.status, this.details, this.notice, this.voice);
    this.hints.forEach((hint) => { hint.hidden = true; });
    this.solution.addEventListener("toggle", () => { if (this.solution.open) this.raise("seen solution"); });
    watch((id) => { if (id === this.id) this.showState(); });
    this.showState();
  }

  /** What the reader did here before: {state, answer, points}. */
  get memory() {
    return load(this.id);
  }

  remember(changes) {
    this.tell(save(this.id, changes));
  }

  raise(state) {
    this.tell(raise(this.id, state));
  }

  forget() {
    remove(this.id);
  }

  tell(stored) {
    const words = stored ? "" : NOT_STORED;
    if (this.notice.textContent !== words) this.notice.textContent = words;
  }

  /** A sentence in the status line, without a verdict. */
  say(text) {
    this.status.removeAttribute("data-verdict");
    write(this.status, text);
    this.details.replaceChildren();
  }

  /** The verdict of a check, shown and remembered. */
  judge(result) {
    this.show(result);
    if (result.accepted || result.verdict === "right") this.raise("right");
    else if (result.verdict !== "not attempted") this.raise("tried");
  }

  /** A verdict with its message, and below it the input that failed and what was printed. */
  show({ verdict, message, accepted, failed, output }) {
    const [first, ...others] = message.split("\n").filter((part) => part.trim());
    const head = element("strong", {}, `${SIGNS[verdict]} ${verdict[0].toUpperCase()}${verdict.slice(1)}: `);
    this.status.dataset.verdict = accepted ? "right" : verdict;
    this.status.replaceChildren(element("p", {}, head, ...prose(first ?? "")), ...others.map((part) => element("p", {}, ...prose(part))));
    if (this.status.querySelector(".math")) window.MathJax?.typesetPromise?.([this.status]);
    this.details.replaceChildren();
    if (failed) this.details.append(failedInput(failed));
    if (output) this.print(output);
  }

  print(output) {
    const label = "What your code printed";
    this.details.append(element("pre", { class: "self-test-output", tabindex: "0", role: "region", "aria-label": label }, output));
  }

  addButton(label, pressed, look) {
    const node = button(label, pressed, look);
    this.buttons.append(node);
    return node;
  }

  /** The last buttons of every kind: one hint at a time, and a fresh start. */
  addHintAndReset(reset, words = "Back to the beginning.") {
    if (this.hints.length) this.addHintButton();
    this.addButton("Reset", () => {
      this.forget();
      this.solution.open = false;
      reset();
      this.say(words);
    });
  }

  // A hint leaves the verdict where it is: both are read together.
  addHintButton() {
    const shown = () => this.hints.filter((hint) => !hint.hidden).length;
    const label = () => `Hint (${shown()} of ${this.hints.length})`;
    const node = this.addButton(label(), () => {
      const next = this.hints.find((hint) => hint.hidden);
      if (!next) return;
      next.hidden = false;
      next.open = true;
      this.voice.textContent = next.textContent;
      node.textContent = label();
      if (shown() === this.hints.length) node.setAttribute("aria-disabled", "true");
    });
  }

  showState() {
    const { state } = this.memory;
    const badge = this.section.querySelector(".self-test-state");
    badge.textContent = STATE_WORDS[state] ?? "";
    this.section.toggleAttribute("data-solved", state === "right");
  }
}

function failedInput({ inputs, expected, got }) {
  const rows = Object.entries({ Input: inputs, Expected: expected, "Your result": got }).filter(([, value]) => value);
  return element("dl", { class: "self-test-failed" },
    ...rows.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, element("code", {}, value)))));
}
