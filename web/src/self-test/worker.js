// Python in a worker of its own. All it needs lies beside this file; nothing is fetched from anywhere else.
import { loadPyodide, version } from "pyodide";
import createPyodideModule from "pyodide/pyodide.asm.mjs";
import { info } from "pyodide/pyodide-lock.json";

const HERE = new URL(".", self.location.href).href;
const RUNTIME = `${HERE}pyodide-${version}/`;

// Pyodide waits for ever where its .wasm cannot be had, so the first failure is noted here. And some hosts send .wasm
// under a wrong type, which browsers refuse to compile. Only then is the answer labelled anew: a labelled one loses
// the browser's store of compiled code.
let giveUp;
const fetchAsIs = self.fetch.bind(self);
self.fetch = async (resource, options) => {
  const url = new URL(resource.url ?? resource, HERE);
  const response = await fetchAsIs(resource, options).catch((problem) => { giveUp(problem); throw problem; });
  if (!response.ok) giveUp(new Error(`${url.pathname}: ${response.status}`));
  const isLabelled = response.headers.get("content-type")?.startsWith("application/wasm");
  if (!url.pathname.endsWith(".wasm") || !response.ok || isLabelled) return response;
  return new Response(response.body, { headers: { "Content-Type": "application/wasm" } });
};

function start() {
  const failure = new Promise((_, reject) => { giveUp = reject; });
  return Promise.race([startPython(), failure]);
}

async function startPython() {
  const options = {
    indexURL: RUNTIME,
    packageBaseUrl: RUNTIME,
    createPyodideModule,
    lockFileContents: { info, packages: {} }, // no packages: nothing can come from elsewhere
    fullStdLib: false,
    env: { HOME: "/home/pyodide", PYTHONHASHSEED: "0" },
  };
  const [python, course] = await Promise.all([loadPyodide(options), fetchCourse()]);
  python.FS.writeFile("/pe_course.zip", course);
  python.runPython("import sys; sys.path.insert(0, '/pe_course.zip')");
  const page = python.pyimport("pe_course.exercises.page");
  return {
    pace: paceOf(python),
    grade: ({ exercise, source }) => page.grade_source(exercise, source),
    run: ({ source }) => page.run_source(source),
  };
}

// Milliseconds for a fixed piece of work, the best of three: how fast this machine is.
function paceOf(python) {
  const times = [1, 2, 3].map(() => {
    const begin = performance.now();
    python.runPython("sum(i * i for i in range(50_000))");
    return performance.now() - begin;
  });
  return Math.min(...times);
}

async function fetchCourse() {
  // Small, and changes with the book: asked for anew each time, and answered from the cache where it did not change.
  const response = await fetch(`${HERE}pe_course.zip`, { cache: "no-cache" });
  return new Uint8Array(await response.arrayBuffer());
}

let started = null;

self.onmessage = async ({ data: { id, task, ...request } }) => {
  let python;
  try {
    python = await (started ??= start());
  } catch (problem) {
    console.warn(`Python did not start: ${problem}`);
    if (id) postMessage({ id, type: "load" });
    return;
  }
  if (task === "start") return;
  postMessage({ id, type: "running", pace: python.pace });
  try {
    postMessage({ id, type: "answer", answer: JSON.parse(python[task](request)) });
  } catch (problem) {
    // What Python raises, the grader catches. What arrives here has taken the interpreter along.
    postMessage({ id, type: "crashed" });
  }
};
