// A number to work out: a field that takes a comma or a point.
import { element } from "./elements.js";
import { judgement } from "./number-grade.js";

export function startNumber(test) {
  const { unit, answer, wrong } = test.data;
  const negative = [answer, ...wrong.map(({ value }) => value)].some((value) => value < 0);
  const check = () => test.judge(judgement(field.value, test.data));
  const field = element("input", {
    type: "text", class: "self-test-field", autocomplete: "off",
    inputmode: negative ? "text" : "decimal", // the phone's keypad for decimals has no minus
    input: () => test.remember({ answer: field.value }),
    keydown: (event) => { if (event.key === "Enter") check(); },
  });
  field.value = test.memory.answer ?? "";
  const name = element("span", {}, "Your number");
  test.work.prepend(element("label", { class: "self-test-row" }, name, field, ...(unit ? [element("span", {}, unit)] : [])));
  test.addButton("Check", check, "main");
  test.addHintAndReset(() => { field.value = ""; });
}
