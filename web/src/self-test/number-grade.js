// Judges a number as Python's grader does (pe_course/exercises/answers.py), whose sentences the page holds.

const DECIMAL = String.raw`(?:\d+(?:[.,]\d*)?|[.,]\d+)`;
const NUMBER = new RegExp(String.raw`^([-+]?)(${DECIMAL}(?:e[-+]?\d{1,3})?)?\*?(π|pi)?(?:/(${DECIMAL}))?(%?)$`);
const SPACED = /^[-+]?[1-9]\d{0,2}( \d{3})+$/;
const THOUSANDS = /^[-+]?[1-9]\d{0,2}(?:([,.])\d{3})(?:\1\d{3})*$/;

/** What a text may mean, likeliest first: "54,410" is a whole number or one with a decimal comma. */
export function numbersFrom(text, unit = "") {
  return readings(text, unit).map(numberFrom).filter((value) => value !== null);
}

function readings(text, unit) {
  let rest = text.replaceAll("−", "-").trim().split(/\s+/).join(" ").replace(/^[≈~= ]+/, "").toLowerCase();
  if (unit && rest.endsWith(unit.toLowerCase())) rest = rest.slice(0, -unit.length).trimEnd();
  if (SPACED.test(rest)) return [rest.replaceAll(" ", "")];
  if (/\d \d/.test(rest)) return []; // two numbers
  rest = rest.replaceAll(" ", "");
  const found = THOUSANDS.exec(rest);
  if (!found) return [rest];
  const whole = rest.replaceAll(found[1], "");
  return found[1] === "," ? [whole, rest] : [rest, whole];
}

function numberFrom(text) {
  const found = NUMBER.exec(text);
  if (!found || !(found[2] || found[3])) return null;
  const [, sign, number = "1", pi, below = "1", percent] = found;
  const top = Number(number.replace(",", ".")) * (pi ? Math.PI : 1);
  const bottom = Number(below.replace(",", "."));
  const value = (top / bottom / (percent ? 100 : 1)) * (sign === "-" ? -1 : 1);
  return Number.isFinite(value) ? value : null;
}

/** What the grader says of a text that was typed. */
export function judgement(text, { answer, tolerance, unit, right, wrong, closeness, close, other, noNumber, notAttempted }) {
  if (!text.trim()) return notAttempted;
  const values = numbersFrom(text, unit);
  if (!values.length) return noNumber;
  const near = (wanted, reach) => values.some((value) => Math.abs(value - wanted) <= reach);
  if (near(answer, tolerance)) return right;
  const known = wrong.find((each) => near(each.value, each.tolerance));
  if (known) return known.result;
  const said = near(answer, closeness) ? close : other;
  return { ...said, message: said.message.replace("{value}", short(values[0])) };
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
