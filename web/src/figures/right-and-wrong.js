// Weights of one query over its last eight keys, by right code and by code with a bug, after any number of tokens.
// All weights come from the package, one row per bug and stop of the slider; the script only looks them up.
import { addChoice, addSlider, announcer, decimals, filled, movingFigures } from "../moving-figure.js";

movingFigures("right-and-wrong", (figure, data) => {
  const { right, wrong, bugs, step, last, foot, scale, alt, sentence } = data;
  const picture = figure.querySelector("svg");
  const bars = [...figure.querySelectorAll("[data-bars=wrong] rect")];
  const cells = [...figure.querySelectorAll("[data-row=wrong] td")];
  const say = announcer(figure);
  const now = { bug: data.bug, before: data.before };

  function largest(weights) {
    const most = Math.max(...weights);
    return { most: decimals(most), place: weights.length - 1 - weights.indexOf(most) };
  }

  function show() {
    const weights = wrong[now.bug][now.before / step];
    weights.forEach((weight, i) => {
      bars[i].setAttribute("y", foot - scale * weight);
      bars[i].setAttribute("height", scale * weight);
      cells[i].textContent = decimals(weight, 2);
    });
    const [good, bad] = [largest(right), largest(weights)];
    const values = {
      before: now.before,
      bug: bugs[now.bug],
      gap: decimals(Math.max(...weights.map((weight, i) => Math.abs(weight - right[i])))),
      most_right: good.most,
      place_right: good.place,
      most_wrong: bad.most,
      place_wrong: bad.place,
    };
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(sentence, values));
  }

  addChoice(figure, {
    label: "bug",
    choices: bugs,
    value: now.bug,
    choose: (bug) => {
      now.bug = bug;
      show();
    },
  });
  addSlider(figure, {
    label: "tokens before",
    min: 0,
    max: last,
    step,
    value: now.before,
    speak: (before) => `${before} tokens before`,
    move: (before) => {
      now.before = before;
      show();
    },
  });
});
