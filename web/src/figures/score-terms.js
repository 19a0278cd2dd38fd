// The score of Transformer-XL and of DeBERTa, term by term. Python has computed the terms; here they are shown
// one at a time, and added up.
import { addSlider, announcer, filled, movingFigures } from "../moving-figure.js";

movingFigures("score-terms", (figure, { term, terms, limits, cells, says, alt, sentence }) => {
  const picture = figure.querySelector("svg");
  const say = announcer(figure);

  function paint(kind, method, values) {
    const squares = figure.querySelectorAll(`[data-map=${kind}][data-method="${method}"] rect`);
    values.forEach((value, i) => {
      squares[i].setAttribute("class", value < 0 ? "negative" : "positive");
      squares[i].setAttribute("fill-opacity", Math.abs(value) / limits[kind]);
    });
  }

  function move(number) {
    for (const [method, parts] of Object.entries(terms)) {
      paint("term", method, parts[number - 1]);
      paint("sum", method, parts[0].map((_, i) => parts.slice(0, number).reduce((sum, part) => sum + part[i], 0)));
    }
    for (const [row, texts] of Object.entries(cells[number - 1])) {
      figure.querySelectorAll(`[data-row=${row}] td`).forEach((cell, i) => { cell.textContent = texts[i]; });
    }
    picture.setAttribute("aria-label", filled(alt, says[number - 1]));
    say(filled(sentence, says[number - 1]));
  }

  addSlider(figure, {
    label: "term",
    min: 1,
    max: says.length,
    value: term,
    speak: (number) => `term ${number}: ${says[number - 1].term}`,
    move,
  });
});
