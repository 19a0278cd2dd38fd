// The file that carries progress from one browser to another: written, checked, and merged.
import { outranks, STATES } from "./storage.js";

const FORMAT = "pe_course progress";
const VERSION = 1;
const LARGEST = 2_000_000; // characters; far more than all answers together

export function exported(entries) {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, selfTests: entries }, null, 1)}\n`;
}

/**
 * What to change: of two entries the one with the higher state stays, and of equals the one here.
 * Throws an Error that says what is wrong with the file.
 */
export function imported(text, known, entryHere) {
  const given = Object.entries(checked(text));
  const ours = given.filter(([id]) => known.has(id));
  const better = ours.filter(([id, entry]) => isBetter(entry, entryHere(id)));
  return { changes: Object.fromEntries(better), unknown: given.length - ours.length };
}

function isBetter(entry, here) {
  return outranks(entry.state, here.state) || (entry.state === here.state && here.answer === undefined && entry.answer !== undefined);
}

function checked(text) {
  if (text.length > LARGEST) throw new Error("it is too large to be a progress file.");
  let file;
  try {
    file = JSON.parse(text);
  } catch {
    throw new Error("it is not a JSON file.");
  }
  if (file?.format !== FORMAT) throw new Error("it is not a progress file of this course.");
  if (file.version !== VERSION) throw new Error(`it has version ${file.version}, and this page reads version ${VERSION}.`);
  if (!isRecord(file.selfTests)) throw new Error("it holds no list of self-tests.");
  return Object.fromEntries(Object.entries(file.selfTests).map(([id, entry]) => [id, checkedEntry(id, entry)]));
}

function checkedEntry(id, entry) {
  const wrong = (what) => new Error(`the entry of ${id.slice(0, 60)} has ${what}.`);
  if (!isRecord(entry)) throw wrong("no content");
  const { state, answer, points } = entry;
  if (state !== undefined && !STATES.includes(state)) throw wrong("an unknown state");
  if (answer !== undefined && typeof answer !== "string") throw wrong("an answer that is not text");
  if (points !== undefined && !(Array.isArray(points) && points.every(Number.isInteger))) throw wrong("points that are not numbers");
  return JSON.parse(JSON.stringify({ state, answer, points }));
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
