// Attention of a method over a sentence in some order, and what that order changed for each pair of words. Python has
// computed all weights; they come as one character each, in steps of 1/63.
import { addChoice, announcer, filled, movingFigures } from "../moving-figure.js";

movingFigures("attention-maps", (figure, data) => {
  const { methods, sentences, orders, weights, changes, digits, place, alt, sentence: says, verdicts } = data;
  const [side, top, lefts] = place;
  const picture = figure.querySelector("svg");
  const maps = figure.querySelector(".maps");
  const cells = figure.querySelectorAll("[data-row=change] td");
  const say = announcer(figure);
  let [method, number, order] = data.start;

  const unpacked = (text) => [...text].map((letter) => digits.indexOf(letter) / (digits.length - 1));

  function map(values, words, left) {
    const cell = side / words.length;
    const largest = Math.max(...values.map(Math.abs)) || 1;
    const squares = values.map((value, at) => {
      const [i, j] = [Math.floor(at / words.length), at % words.length];
      return `<rect class="${value < 0 ? "negative" : "positive"}" x="${left + j * cell}" y="${top + i * cell}" `
        + `width="${cell}" height="${cell}" fill-opacity="${Math.abs(value) / largest}"/>`;
    });
    const labels = words.map((word, i) => `<text x="${left - 4}" y="${top + (i + 0.5) * cell + 3.5}" `
      + `text-anchor="end">${word}</text><text transform="translate(${left + (i + 0.5) * cell + 3} ${top - 4}) `
      + `rotate(-60)">${word}</text>`);
    return squares.join("") + labels.join("");
  }

  function show() {
    const { words, orders: places } = sentences[number];
    const which = orders.indexOf(order), at = places[which];
    const now = unpacked(weights[method][number][which]);
    const before = unpacked(weights[method][number][0]);
    const moved = before.slice();
    at.forEach((row, i) => at.forEach((column, j) => {
      const pair = row * words.length + column;
      moved[pair] = now[i * words.length + j] - before[pair];
    }));
    const shown = at.map((index) => words[index]);
    maps.innerHTML = map(now, shown, lefts[0]) + map(moved, words, lefts[1]);
    changes[method][number].forEach((text, i) => { cells[i].textContent = text; });

    const change = changes[method][number][which];
    const still = Number(change) === 0 ? "still" : "moved";
    const values = { method: methods[method], order, words: shown.join(" "), change };
    const verdict = filled(verdicts[which === 0 ? "written" : still], values);
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(says, { ...values, verdict }));
  }

  const choice = (label, choices, value, choose) => addChoice(figure, {
    label, choices, value, choose: (chosen) => { choose(chosen); show(); },
  });
  choice("method", methods, method, (chosen) => { method = chosen; });
  choice("sentence", sentences.map(({ words }) => words.join(" ")), number, (chosen) => { number = Number(chosen); });
  choice("order", Object.fromEntries(orders.map((name) => [name, name])), order, (chosen) => { order = chosen; });
});
