// What a reader has done, kept in this browser alone: one entry per self-test.
//
// An entry is {state, answer, points}: state is "tried", "seen solution" or "right", answer the text as typed,
// points the numbers of the ticked points. Where the browser refuses to store (private mode, full), entries live in
// the page's history entry: they outlast a reload, but not a visit to another page, and the reader is told.

const SITE = new URL("../../", document.currentScript.src).pathname; // this script lies in _static/self-test/
const PREFIX = `pe_course:${SITE}:`;
const UNSAVED = "selfTests"; // key within history.state
export const CHANGED = "self-test:changed";

// Later ones outrank earlier ones.
export const STATES = ["tried", "seen solution", "right"];
export const outranks = (state, other) => STATES.indexOf(state) > STATES.indexOf(other);

/** The entry of a self-test, {} if there is none. */
export function load(id) {
  return history.state?.[UNSAVED]?.[id] ?? usable(attempt(() => JSON.parse(localStorage.getItem(PREFIX + id)))) ?? {};
}

/** Changes an entry. Returns false if it could not be stored for good. */
export function save(id, changes) {
  const entry = { ...load(id), ...changes };
  const stored = attempt(() => { localStorage.setItem(PREFIX + id, JSON.stringify(entry)); return true; }) ?? false;
  keepUnsaved(id, stored ? undefined : entry);
  announce(id);
  return stored;
}

export function remove(id) {
  attempt(() => localStorage.removeItem(PREFIX + id));
  keepUnsaved(id, undefined);
  announce(id);
}

/** Raises the state of an entry; a reader who was right stays right. */
export function raise(id, state) {
  return outranks(state, load(id).state) ? save(id, { state }) : true;
}

/** Calls `changed(id)` whenever an entry changes, here or in another tab. */
export function watch(changed) {
  addEventListener(CHANGED, ({ detail }) => changed(detail));
  addEventListener("storage", ({ key }) => { if (key?.startsWith(PREFIX)) changed(key.slice(PREFIX.length)); });
}

function announce(id) {
  dispatchEvent(new CustomEvent(CHANGED, { detail: id }));
}

function keepUnsaved(id, entry) {
  const unsaved = history.state?.[UNSAVED];
  if (!entry && !unsaved?.[id]) return;
  attempt(() => history.replaceState({ ...history.state, [UNSAVED]: { ...unsaved, [id]: entry } }, ""));
}

// Somebody else may have written there: an entry holds what it should, or nothing.
function usable(entry) {
  if (entry === null || typeof entry !== "object") return undefined;
  const { state, answer, points } = entry;
  return {
    ...(STATES.includes(state) && { state }),
    ...(typeof answer === "string" && { answer }),
    ...(Array.isArray(points) && { points }),
  };
}

// A browser that refuses storage does so by throwing, at any of its functions.
function attempt(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}
