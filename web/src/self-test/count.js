// "3 of 5 solved" below the page's title.
import { element } from "./elements.js";
import { load, watch } from "./storage.js";

export function showCount(tests) {
  const title = document.querySelector("article h1");
  if (!tests.length || !title) return;
  const progress = tests[0].section.dataset.progress;
  const words = element(progress ? "a" : "span", progress ? { href: progress } : {});
  const update = () => {
    const solved = tests.filter(({ id }) => load(id).state === "right").length;
    words.textContent = `${solved} of ${tests.length} solved`;
  };
  title.after(element("p", { class: "self-test-count" }, "Self-tests on this page: ", words));
  watch(update);
  update();
}
