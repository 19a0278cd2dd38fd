// Eight neighbouring positions as eight hands, turned by position × frequency: as integers and as bfloat16 keeps them.
// What bfloat16 keeps comes from the package, as differences to the first of the eight.
import { addSlider, announcer, filled, movingFigures } from "../moving-figure.js";

movingFigures("integer-bfloat16", (figure, { frequency, first, step, end, kept, alt, sentence }) => {
  const picture = figure.querySelector("svg");
  const parts = Object.fromEntries(["integer", "bfloat16"].map((name) => [name, {
    hands: [...figure.querySelectorAll(`[data-dial=${name}] .hand`)],
    cells: [...figure.querySelectorAll(`[data-row=${name}] td`)],
  }]));
  const say = announcer(figure);

  function show({ hands, cells }, positions) {
    positions.forEach((position, i) => {
      hands[i].setAttribute("transform", `rotate(${(-position * frequency * 180) / Math.PI})`);
      cells[i].textContent = position;
    });
    return new Set(positions).size;
  }

  function move(start) {
    const differences = kept[start / step];
    const values = {
      first: start,
      last: start + differences.length - 1,
      exact: show(parts.integer, differences.map((_, i) => start + i)),
      kept: show(parts.bfloat16, differences.map((difference) => start + difference)),
    };
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(sentence, values));
  }

  addSlider(figure, {
    label: "first position",
    min: 0,
    max: end,
    step,
    value: first,
    speak: (now) => `first position ${now}`,
    move,
  });
});
