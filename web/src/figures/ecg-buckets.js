// A day of heartbeats in T5's buckets. Python has worked out, for every place of the slider, which bucket the beat
// falls into and which beats share it; here the marks move.
import { addSlider, announcer, filled, movingFigures } from "../moving-figure.js";

const NEAR = 8; // beats that the trace shows to each side

movingFigures("ecg-buckets", (figure, { states, now, order, column, beat, alt }) => {
  const picture = figure.querySelector("svg");
  const chosenBeat = figure.querySelector("[data-mark=beat]");
  const chosenBucket = figure.querySelector("[data-mark=bucket]");
  const say = announcer(figure);

  function move(index) {
    const state = states[index];
    const near = Math.abs(state.offset) <= NEAR;
    chosenBeat.setAttribute("visibility", near ? "visible" : "hidden");
    if (near) chosenBeat.setAttribute("x", beat * (state.offset + NEAR));
    chosenBucket.setAttribute("x", column * order.indexOf(state.bucket));
    figure.querySelectorAll("[data-cell]").forEach((cell) => { cell.textContent = state[cell.dataset.cell]; });
    picture.setAttribute("aria-label", filled(alt, { here: state.sentence }));
    say(state.sentence);
  }

  addSlider(figure, {
    label: "beat, from the focus",
    min: 0,
    max: states.length - 1,
    value: now,
    show: (index) => states[index].shown,
    speak: (index) => `${states[index].shown} beats`,
    move,
  });
});
