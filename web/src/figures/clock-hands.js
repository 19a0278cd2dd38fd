// A position as a row of clock hands: hand i has turned by position × frequency[i], clockwise from twelve.
// The tip of the hand is (sin, cos): how far right, how far up. These are the pairs of the sinusoidal vector.
import { addSlider, announcer, decimals, filled, movingFigures } from "../moving-figure.js";

movingFigures("clock-hands", (figure, { frequencies, position, last, alt, sentence }) => {
  const picture = figure.querySelector("svg");
  const hands = [...figure.querySelectorAll(".hand")];
  const sines = [...figure.querySelectorAll("[data-row=sin] td")];
  const cosines = [...figure.querySelectorAll("[data-row=cos] td")];
  const say = announcer(figure);

  function move(now) {
    const angles = frequencies.map((frequency) => now * frequency);
    angles.forEach((angle, i) => {
      hands[i].setAttribute("transform", `rotate(${(angle * 180) / Math.PI})`);
      sines[i].textContent = decimals(Math.sin(angle));
      cosines[i].textContent = decimals(Math.cos(angle));
    });
    const turns = angles.map((angle) => decimals((angle * 180) / Math.PI, 1)).join(", ");
    const vector = angles.flatMap((angle) => [Math.sin(angle), Math.cos(angle)]).map((number) => decimals(number)).join(", ");
    picture.setAttribute("aria-label", filled(alt, { position: now, turns }));
    say(filled(sentence, { position: now, vector }));
  }

  addSlider(figure, {
    label: "position",
    min: 0,
    max: last,
    value: position,
    speak: (now) => `position ${now}`,
    move,
  });
});
