// What a rule leaves of the speed of each pair: Python has computed the shares for every rule and factor, here the
// dots move. A dot above the dashed line, in the grey part, is a pair that meets angles it never met in training.
import { addChoice, addSlider, announcer, filled, movingFigures } from "../moving-figure.js";

movingFigures("frequency-map", (figure, data) => {
  const { shares, methods, factors, unfinished, tolerance, place, now, alt, sentence } = data;
  const [left, step, top, doubling] = place;
  const picture = figure.querySelector("svg");
  const dots = [...figure.querySelectorAll(".pair")];
  const line = figure.querySelector(".fits");
  const say = announcer(figure);
  let [method, factor] = now;

  const height = (share) => top - doubling * Math.log2(share);
  const isNew = (share, pair) => pair >= unfinished && share * factor > tolerance;

  function count(list) {
    const kept = list.filter((share) => share * tolerance > 1).length;
    const slowed = list.filter((share) => share * tolerance <= 1 && share * factor < tolerance).length;
    return { kept, slowed, between: list.length - kept - slowed, new: list.filter(isNew).length };
  }

  function draw() {
    const list = shares[method][factor];
    list.forEach((share, pair) => {
      dots[pair].setAttribute("cy", height(share));
      dots[pair].classList.toggle("new", isNew(share, pair));
    });
    line.setAttribute("d", `M${left} ${height(1 / factor)}h${step * list.length}`);
    const values = { method: methods[method], factor, ...count(list) };
    figure.querySelectorAll("[data-count]").forEach((cell) => { cell.textContent = values[cell.dataset.count]; });
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(sentence, values));
  }

  addChoice(figure, { label: "method", choices: methods, value: method, choose: (name) => { method = name; draw(); } });
  addSlider(figure, {
    label: "factor",
    min: 0,
    max: factors.length - 1,
    value: factors.indexOf(factor),
    show: (index) => factors[index],
    speak: (index) => `factor ${factors[index]}`,
    move: (index) => { factor = factors[index]; draw(); },
  });
});
