// Judges a number as Python's grader does (pe_course/exercises/answers.py), whose sentences the page holds.

const NUMBER = /^([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?)(?:\/(\d+))?$/;
const DECIMAL_COMMA = /^[-+]?\d+,\d+$/;

/** A number from "0.5", "0,5", "1/2", "50 %", "1e-3", "−2"; null from anything else. */
export function numberFrom(text) {
  let rest = text.trim().replaceAll("−", "-").replaceAll(" ", "");
  const percent = rest.endsWith("%");
  if (percent) rest = rest.slice(0, -1);
  if (DECIMAL_COMMA.test(rest)) rest = rest.replace(",", ".");
  const found = NUMBER.exec(rest);
  if (!found || Number(found[2]) === 0) return null;
  const value = Number(found[1]) / Number(found[2] ?? 1) / (percent ? 100 : 1);
  return Number.isFinite(value) ? value : null;
}

/** What the grader says of a text that was typed. */
export function judgement(text, { answer, tolerance, right, wrong, other, noNumber, notAttempted }) {
  if (!text.trim()) return notAttempted;
  const value = numberFrom(text);
  if (value === null) return noNumber;
  if (Math.abs(value - answer) <= tolerance) return right;
  const known = wrong.find((each) => Math.abs(value - each.value) <= each.tolerance);
  return known?.result ?? { ...other, message: other.message.replace("{value}", short(value)) };
}

/** Five digits, as Python's f"{value:.5g}"; whole numbers in full. */
export function short(value) {
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return minus(value.toFixed(0));
  const [digits, exponent] = value.toExponential(4).split("e");
  const power = Number(exponent);
  if (power >= -4 && power < 5) return minus(String(Number(value.toPrecision(5))));
  const padded = `${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
  return minus(`${Number(digits)}e${padded}`);
}

function minus(text) {
  return text.replaceAll("-", "−");
}
