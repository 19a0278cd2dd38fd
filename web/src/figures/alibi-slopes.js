// ALiBi's heads as bars, each as long as its head can see. Python has computed the slopes for every number of heads,
// as exponents of one half.
import { addSlider, announcer, decimals, filled, movingFigures } from "../moving-figure.js";

movingFigures("alibi-slopes", (figure, data) => {
  const { exponents, top, room, decade, share, alt, sentence } = data;
  const picture = figure.querySelector("svg");
  const bars = figure.querySelector(".heads");
  const slopeCells = figure.querySelectorAll("[data-row=slope] td");
  const windowCells = figure.querySelectorAll("[data-row=window] td");
  const say = announcer(figure);

  // The first distance at which a key weighs less than 1/share of what it would at distance 0.
  const windowOf = (slope) => Math.floor(Math.log(share) / slope) + 1;

  function move(heads) {
    const slopes = exponents[heads - 1].map((exponent) => 2 ** -exponent);
    const regular = 2 ** Math.floor(Math.log2(heads));
    const step = room / heads;
    bars.innerHTML = slopes.map((slope, i) => `<rect class="alibi ${i < regular ? "full" : "hollow"}" x="0.5" `
      + `y="${top + step * (i + 0.1)}" width="${decade * Math.log10(windowOf(slope))}" `
      + `height="${Math.min(0.8 * step, 14)}"/>`).join("");

    const steepest = Math.max(...slopes), gentlest = Math.min(...slopes);
    [slopes[0], slopes.at(-1), steepest].forEach((slope, i) => {
      slopeCells[i].textContent = decimals(slope, 4);
      windowCells[i].textContent = windowOf(slope);
    });
    const values = {
      heads,
      steepest: decimals(steepest, 4),
      gentlest: decimals(gentlest, 4),
      shortest: windowOf(steepest),
      longest: windowOf(gentlest),
      order: heads > regular ? filled(data.inserted, { added: heads - regular }) : data.sorted,
    };
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(sentence, values));
  }

  addSlider(figure, {
    label: "heads",
    min: 1,
    max: exponents.length,
    value: data.heads,
    speak: (heads) => `heads ${heads}`,
    move,
  });
});
