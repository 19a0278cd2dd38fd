// How much attention stays near as the text grows, under three biases. Python has computed the shares.
import { addSlider, announcer, decimals, filled, movingFigures } from "../moving-figure.js";

movingFigures("bias-to-zero", (figure, { lengths, length, shares, width, alt, sentence }) => {
  const picture = figure.querySelector("svg");
  const near = figure.querySelectorAll("[data-row=near] td");
  const far = figure.querySelectorAll("[data-row=far] td");
  const say = announcer(figure);

  function move(index) {
    const values = { length: lengths[index] };
    Object.keys(shares).forEach((bias, column) => {
      const share = shares[bias][index];
      values[bias] = decimals(share, 4);
      figure.querySelector(`[data-bias=${bias}]`).setAttribute("width", width * share);
      near[column].textContent = decimals(share, 4);
      far[column].textContent = decimals(1 - share, 4);
    });
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(sentence, values));
  }

  addSlider(figure, {
    label: "number of keys",
    min: 0,
    max: lengths.length - 1,
    value: lengths.indexOf(length),
    show: (index) => lengths[index],
    speak: (index) => `${lengths[index]} keys`,
    move,
  });
});
