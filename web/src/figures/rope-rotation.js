// A query and a key, each turned by position × degrees, counter-clockwise, and their score over the distance.
// The scores come from the package, one per distance; the script only looks them up.
import { addSlider, announcer, decimals, filled, movingFigures } from "../moving-figure.js";

movingFigures("rope-rotation", (figure, { degrees, start, letter, m, n, last, scores, curve, alt, sentence }) => {
  const [left, width, middle, height] = curve;
  const picture = figure.querySelector("svg");
  const hands = { query: figure.querySelector(".hand.query"), key: figure.querySelector(".hand.key") };
  const point = figure.querySelector(".point");
  const cell = (name) => figure.querySelector(`[data-cell=${name}]`);
  const say = announcer(figure);
  const at = { m, n, both: 0 };

  function turn(name, position) {
    const angle = start[name] + position * degrees;
    hands[name].setAttribute("transform", `rotate(${-angle})`);
    hands[name].querySelector(".letter").setAttribute("transform", `translate(${letter} 0) rotate(${angle})`);
    return decimals(angle % 360, 0);
  }

  function move() {
    const index = at.m - at.n + last;
    const values = {
      m: at.m + at.both,
      n: at.n + at.both,
      distance: decimals(at.m - at.n, 0),
      score: decimals(scores[index]),
      query: turn("query", at.m + at.both),
      key: turn("key", at.n + at.both),
    };
    point.setAttribute("cx", left + (width * index) / (2 * last));
    point.setAttribute("cy", middle - height * scores[index]);
    cell("query").textContent = `${values.query}°`;
    cell("key").textContent = `${values.key}°`;
    cell("distance").textContent = values.distance;
    cell("score").textContent = values.score;
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(sentence, values));
  }

  const sliders = [
    ["m", "query position m", m],
    ["n", "key position n", n],
    ["both", "move both by", 0],
  ];
  for (const [name, label, value] of sliders) {
    addSlider(figure, {
      label,
      min: 0,
      max: last,
      value,
      speak: (now) => `${label} ${now}`,
      move: (now) => {
        at[name] = now;
        move();
      },
    });
  }
});
