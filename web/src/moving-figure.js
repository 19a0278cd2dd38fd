// What every moving figure shares: its data, a slider, and a voice for those who do not see it.
//
// The page already holds the still picture and the numbers of the first position, drawn by Python from the
// package's own functions (tools/site/figures). A figure's script only moves what stands there.

const QUIET_BEFORE_SPEAKING = 400; // ms: a screen reader should hear where the slider stopped, not each step

/** Calls `start(figure, data)` for every figure of that name on the page. */
export function movingFigures(name, start) {
  for (const figure of document.querySelectorAll(`[data-figure="${name}"]`)) {
    start(figure, JSON.parse(figure.querySelector("script[type='application/json']").textContent));
  }
}

/**
 * A labelled native slider in the figure's place for controls; `move(value)` runs on each change.
 * `show(value)` is what stands beside the slider, `speak(value)` what a screen reader says of the value.
 */
export function addSlider(figure, { label, min, max, step = 1, value, show = String, speak, move }) {
  const input = element("input", { type: "range", min, max, step });
  const shown = element("span", { class: "moving-figure-value", "aria-hidden": "true" });
  const row = element("label", { class: "moving-figure-slider" });
  row.append(element("span", {}, label), input, shown);
  figure.querySelector(".moving-figure-controls").append(row);

  const update = () => {
    const now = Number(input.value);
    shown.textContent = show(now);
    input.setAttribute("aria-valuetext", speak(now));
    move(now);
  };
  input.value = value;
  shown.textContent = show(value);
  input.setAttribute("aria-valuetext", speak(value));
  input.addEventListener("input", update);
  return input;
}

/** A labelled native drop-down list; `choices` maps each value to the words for it, `choose(value)` runs on a change. */
export function addChoice(figure, { label, choices, value, choose }) {
  const select = element("select");
  for (const [name, words] of Object.entries(choices)) select.append(element("option", { value: name }, words));
  select.value = value;
  select.addEventListener("change", () => choose(select.value));
  const row = element("label", { class: "moving-figure-slider" });
  row.append(element("span", {}, label), select);
  figure.querySelector(".moving-figure-controls").append(row);
  return select;
}

/** A function that puts a sentence into the figure's status line once the reader pauses. */
export function announcer(figure) {
  const status = figure.querySelector("[role=status]");
  let timer;
  return (sentence) => {
    clearTimeout(timer);
    timer = setTimeout(() => { status.textContent = sentence; }, QUIET_BEFORE_SPEAKING);
  };
}

/** A number as Python's f"{value:.3f}" with a true minus sign, and no minus before 0.000. */
export function decimals(value, places = 3) {
  const text = value.toFixed(places);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}

/** `template` with each {name} replaced: the same sentences as Python's, written once. */
export function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

function element(tag, attributes = {}, text = "") {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = text;
  return node;
}
