// Distances cut into T5's buckets, for an encoder and a decoder. Python has computed where each bucket starts
// for every setting of the two sliders; here the strips are cut anew.
import { addSlider, announcer, filled, movingFigures } from "../moving-figure.js";

movingFigures("t5-buckets", (figure, { starts, numBuckets, maxDistances, shown, unit, height, now, alt, sentence }) => {
  const picture = figure.querySelector("svg");
  const say = announcer(figure);
  const setting = [numBuckets.indexOf(now[0]), maxDistances.indexOf(now[1])];
  const cells = (row) => figure.querySelectorAll(`[data-row=${row}] td`);

  // The largest distance up to which every bucket holds one distance.
  function own(list) {
    let distance = 0;
    while (list.includes(distance + 1) && list.includes(distance + 2)) distance += 1;
    return distance;
  }

  function strip(list) {
    const borders = [...list, shown];
    const piece = (start, i) => `<rect class="t5 ${i % 2 ? "pale" : "full"}" x="${start * unit}" `
      + `width="${(borders[i + 1] - start) * unit}" height="${height}"/>`;
    return list.map(piece).join("");
  }

  function draw() {
    const buckets = numBuckets[setting[0]], far = maxDistances[setting[1]];
    const values = { buckets, far };
    ["encoder", "decoder"].forEach((stack, column) => {
      const list = [...new Set(starts[stack][`${buckets},${far}`])];
      figure.querySelector(`[data-strip=${stack}]`).innerHTML = strip(list);
      values[stack] = list.at(-1);
      values[`${stack}_own`] = own(list);
      cells("own")[column].textContent = own(list);
      cells("last")[column].textContent = list.at(-1);
      cells("used")[column].textContent = stack === "encoder" ? 2 * list.length - 1 : list.length;
    });
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(sentence, values));
  }

  [["num_buckets", numBuckets], ["max_distance", maxDistances]].forEach(([label, choices], which) => {
    addSlider(figure, {
      label,
      min: 0,
      max: choices.length - 1,
      value: setting[which],
      show: (index) => choices[index],
      speak: (index) => `${label} ${choices[index]}`,
      move: (index) => { setting[which] = index; draw(); },
    });
  });
});
