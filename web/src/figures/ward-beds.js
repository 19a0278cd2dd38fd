// One group of channels of a bed's code, of the next bed's, and their change; below, how alike all beds are to this
// one in the group. Sines and cosines are turned here, the resemblances and the changes come from the package.
import { addSlider, announcer, decimals, filled, movingFigures } from "../moving-figure.js";

movingFigures("ward-beds", (figure, data) => {
  const { frequencies, alike, says, beds, place, alt, sentence } = data;
  const [left, step, zero, unit] = place;
  const picture = figure.querySelector("svg");
  const cells = Object.fromEntries(["bed", "next", "change"].map((row) => [
    row, [...figure.querySelectorAll(`[data-code=${row}] rect`)],
  ]));
  const name = (what) => figure.querySelector(`[data-name=${what}]`);
  const say = announcer(figure);
  const pairs = frequencies.length / says.length;
  let { bed, group } = data;

  function code(position) {
    const speeds = frequencies.slice(pairs * group, pairs * (group + 1));
    return speeds.flatMap((speed) => [Math.sin(position * speed), Math.cos(position * speed)]);
  }

  function paint(row, values) {
    values.forEach((value, i) => {
      cells[row][i].setAttribute("class", value < 0 ? "negative" : "positive");
      cells[row][i].setAttribute("fill-opacity", Math.abs(value).toFixed(3));
    });
  }

  function draw() {
    const here = code(bed), next = code(bed + 1);
    paint("bed", here);
    paint("next", next);
    paint("change", next.map((value, i) => value - here[i]));
    const shares = Array.from({ length: beds }, (_, other) => alike[group][Math.abs(other - bed)]);
    const points = shares.map((share, i) => `${left + step * (i + 0.5)} ${zero - unit * share}`);
    figure.querySelector(".ward-profile").setAttribute("d", `M${points.join("L")}`);
    figure.querySelector("[data-mark=bed]").setAttribute("transform", `translate(${left + step * (bed + 0.5)} 0)`);

    const values = { bed, next_bed: bed + 1, lowest: decimals(Math.min(...shares), 2), ...says[group] };
    name("bed").textContent = name("here").textContent = `bed ${bed}`;
    name("next").textContent = `bed ${bed + 1}`;
    figure.querySelector(".title").textContent = `channels ${values.first} to ${values.last}`;
    figure.querySelectorAll("[data-cell]").forEach((cell) => { cell.textContent = values[cell.dataset.cell]; });
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(sentence, values));
  }

  addSlider(figure, {
    label: "bed",
    min: 0,
    max: beds - 2,
    value: bed,
    speak: (now) => `bed ${now}`,
    move: (now) => { bed = now; draw(); },
  });
  addSlider(figure, {
    label: "channels from",
    min: 0,
    max: says.length - 1,
    value: group,
    show: (index) => says[index].first,
    speak: (index) => `channels ${says[index].first} to ${says[index].last}`,
    move: (index) => { group = index; draw(); },
  });
});
