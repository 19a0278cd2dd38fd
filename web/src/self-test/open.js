// A question to answer in one's own words: the text is kept, the model answer shows the points to tick.
import { element } from "./elements.js";

export function startOpen(test) {
  const memory = test.memory;
  const field = element("textarea", { class: "self-test-text", rows: "5", "aria-label": `Your answer: ${test.title}`, input: typed });
  field.value = memory.answer ?? "";
  test.work.prepend(field);
  const boxes = tickable(test.section.querySelector(".self-test-points"), ticked);
  mark(memory.points ?? []);

  test.addButton("Compare with the model answer", () => {
    test.solution.open = true;
    test.solution.querySelector("summary").focus();
  }, "main");
  test.addHintAndReset(() => { field.value = ""; mark([]); });

  function typed() {
    test.remember({ answer: field.value });
    test.raise("tried");
  }

  function ticked() {
    const points = boxes.flatMap((box, number) => (box.checked ? [number] : []));
    const all = points.length === boxes.length;
    test.remember({ points, state: all ? "right" : "seen solution" });
    test.say(all ? "All points: solved." : `${points.length} of ${boxes.length} points.`);
  }

  function mark(points) {
    boxes.forEach((box, number) => { box.checked = points.includes(number); });
  }
}

function tickable(list, changed) {
  return [...list.children].map((point) => {
    const box = element("input", { type: "checkbox", change: changed });
    point.replaceChildren(element("label", { class: "self-test-option" }, box, element("span", {}, ...point.childNodes)));
    return box;
  });
}
