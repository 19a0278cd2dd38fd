// The self-tests of a page. The page already holds question, starter code, options, hints and solution, for readers
// without JavaScript (tools/site/self_tests); this script adds what answers: editor, buttons, verdict, memory.
import { startChoice } from "./choice.js";
import { startCode } from "./code.js";
import { startNumber } from "./number.js";
import { startOpen } from "./open.js";
import { showCount } from "./count.js";
import { SelfTest } from "./frame.js";

const START = { code: startCode, choice: startChoice, number: startNumber, open: startOpen };

const tests = [...document.querySelectorAll("section.self-test")].map((section) => new SelfTest(section));
for (const test of tests) START[test.kind](test);
showCount(tests);
