// What the filters of long pages share: the words that were asked for, and saying what is left.

const QUIET_BEFORE_SPEAKING = 400; // ms: a screen reader should hear the result, not each letter's

export function askedWords(field) {
  return field.value.toLowerCase().split(/\s+/).filter(Boolean);
}

export function holdsAll(text, words) {
  return words.every((word) => text.includes(word));
}

export function announcer(status) {
  let timer;
  return (text) => {
    clearTimeout(timer);
    timer = setTimeout(() => { status.textContent = text; }, QUIET_BEFORE_SPEAKING);
  };
}
