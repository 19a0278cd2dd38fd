// One right option among several: radio buttons, and a sentence for whichever is taken.
import { element } from "./elements.js";

export function startChoice(test) {
  const list = test.section.querySelector(".self-test-options");
  const name = `${test.section.id}-choice`;
  const radios = [];
  const rows = [...list.children].map((option) => {
    const radio = element("input", { type: "radio", name, value: option.dataset.key, change: () => test.remember({ answer: radio.value }) });
    radios.push(radio);
    return element("label", { class: "self-test-option" }, radio, element("span", {}, ...option.childNodes));
  });
  const legend = element("legend", { class: "visually-hidden" }, `Options: ${test.title}`);
  list.replaceWith(element("fieldset", { class: "self-test-options" }, legend, ...rows));
  const mark = (key) => radios.forEach((radio) => { radio.checked = radio.value === key; });
  mark(test.memory.answer);

  test.addButton("Check", () => test.judge(judgement(radios.find((radio) => radio.checked)?.value, test.data)), "main");
  test.addHintAndReset(() => mark(undefined));
}

/** What Python's grader says of this option. */
export function judgement(key, { results, notAttempted }) {
  return key === undefined ? notAttempted : results[key];
}
