// Two slices as query and key of one rotary head. Pairs are turned counter-clockwise by slice × frequency, once as they
// should be, after the head's matrices, and once before them, which is the mistake that the table shows.
import { addSlider, announcer, decimals, filled, movingFigures } from "../moving-figure.js";

const times = (matrix, vector) => matrix.map((row) => row.reduce((sum, weight, i) => sum + weight * vector[i], 0));

movingFigures("ct-slices", (figure, data) => {
  const { embeddings, to_query: toQuery, to_key: toKey, frequencies, last, farthest, scan, alt, sentence } = data;
  const [left, step] = scan;
  const picture = figure.querySelector("svg");
  const hands = { query: [...figure.querySelectorAll(".hand.query")], key: [...figure.querySelectorAll(".hand.key")] };
  const say = announcer(figure);
  const at = { m: data.m, n: data.n, shift: data.shift };

  function turned(vector, position) {
    return frequencies.flatMap((frequency, pair) => {
      const [a, b] = vector.slice(2 * pair, 2 * pair + 2);
      const cos = Math.cos(position * frequency), sin = Math.sin(position * frequency);
      return [a * cos - b * sin, a * sin + b * cos];
    });
  }

  const products = (q, k) => frequencies.map((_, pair) => q[2 * pair] * k[2 * pair] + q[2 * pair + 1] * k[2 * pair + 1]);
  const query = (m) => turned(times(toQuery, embeddings[0]), m);
  const key = (n) => turned(times(toKey, embeddings[1]), n);
  const right = (m, n) => products(query(m), key(n));
  const wrong = (m, n) => products(times(toQuery, turned(embeddings[0], m)), times(toKey, turned(embeddings[1], n)));

  function point(name, vector, slice) {
    hands[name].forEach((hand, pair) => {
      const angle = (Math.atan2(vector[2 * pair + 1], vector[2 * pair]) * 180) / Math.PI;
      hand.setAttribute("transform", `rotate(${-angle})`);
    });
    figure.querySelector(`[data-slice=${name}]`).setAttribute("transform", `translate(${left + step * slice} 0)`);
  }

  function fill(row, values, m, n) {
    const sum = values.reduce((total, value) => total + value, 0);
    const line = figure.querySelector(`[data-row=${row}]`);
    line.querySelector("th").textContent = `${m},\u00a0${n}`;
    [...values, sum].forEach((value, i) => { line.querySelectorAll("td")[i].textContent = decimals(value); });
    return decimals(sum);
  }

  function draw() {
    const { m, n } = at;
    const there = [m + at.shift, n + at.shift];
    point("query", query(there[0]), there[0]);
    point("key", key(there[1]), there[1]);
    const values = {
      m,
      n,
      m_there: there[0],
      n_there: there[1],
      score: fill("right", right(m, n), m, n),
      score_there: fill("right_there", right(...there), ...there),
      wrong: fill("wrong", wrong(m, n), m, n),
      wrong_there: fill("wrong_there", wrong(...there), ...there),
    };
    picture.setAttribute("aria-label", filled(alt, values));
    say(filled(sentence, values));
  }

  for (const [name, label, max] of [["m", "query slice", last], ["n", "key slice", last], ["shift", "move both by", farthest]]) {
    addSlider(figure, {
      label,
      min: 0,
      max,
      value: at[name],
      speak: (now) => `${label} ${now}`,
      move: (now) => { at[name] = now; draw(); },
    });
  }
});
