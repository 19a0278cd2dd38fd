// The table of sinusoids with a cursor on one row. How much two rows resemble each other depends on their distance
// alone, so that Python's list of inner products by distance is all that the profile needs.
import { addSlider, announcer, decimals, filled, movingFigures } from "../moving-figure.js";

movingFigures("heat-map", (figure, { kernel, position, named, place, alt, sentence }) => {
  const [, top, cell, width] = place;
  const picture = figure.querySelector("svg");
  const cursor = figure.querySelector(".cursor");
  const bars = [...figure.querySelectorAll(".share")];
  const cells = [...figure.querySelectorAll("[data-row=alike] td")];
  const say = announcer(figure);

  function move(now) {
    const shares = bars.map((_, row) => kernel[Math.abs(row - now)]);
    cursor.setAttribute("y", top + cell * now - 0.5);
    bars.forEach((bar, row) => bar.setAttribute("width", width * Math.max(shares[row], 0)));
    named.forEach((row, i) => { cells[i].textContent = decimals(shares[row]); });
    picture.setAttribute("aria-label", filled(alt, { position: now, lowest: decimals(Math.min(...shares)) }));
    const list = named.map((row) => `row ${row} ${decimals(shares[row])}`).join(", ");
    say(filled(sentence, { position: now, shares: list }));
  }

  addSlider(figure, {
    label: "position",
    min: 0,
    max: bars.length - 1,
    value: position,
    speak: (now) => `position ${now}`,
    move,
  });
});
