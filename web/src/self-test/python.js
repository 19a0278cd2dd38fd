// Python for the whole page: one worker, started when it is first needed and replaced whenever it had to be stopped.

const HERE = new URL(".", document.currentScript.src).href;
const LIMIT = 5; // seconds that an answer may run, more on a slow phone: at most four times as many
const USUAL_PACE = 20; // milliseconds; a computer needs 10 for the worker's measure
const PATIENCE = 120; // seconds in which Python must have arrived; a slow phone on a slow line needs long

export const PROBLEMS = {
  file: "Python cannot start from a file on disk. In the site's folder run `python -m http.server` and open the address that it prints.",
  load: "Python could not be loaded. Your text is kept. Try again, or take the notebook of this page.",
  timeout: "Stopped after {seconds} seconds: is there a loop that never ends, or a number that grows without end?",
  stopped: "Stopped.",
  busy: "Another self-test of this page is still running. Stop it, or wait.",
  crashed: "Python ran out of room and was started anew: does a function call itself without end?",
};

let worker = null;
let waiting = null; // the one call in progress: {resolve, reject, timer, running}
let calls = 0;

export const isStarted = () => worker !== null;

/**
 * Asks the worker for {task: "grade" | "run", exercise, source}; `running()` is called when Python has arrived.
 * Rejects with an Error whose message is one of PROBLEMS.
 */
export function ask(request, running) {
  if (location.protocol === "file:") return Promise.reject(new Error(PROBLEMS.file));
  if (waiting) return Promise.reject(new Error(PROBLEMS.busy));
  start();
  return new Promise((resolve, reject) => {
    waiting = { id: ++calls, resolve, reject, running, timer: setTimeout(() => end("load"), PATIENCE * 1000) };
    worker.postMessage({ id: waiting.id, ...request });
  });
}

export function stop() {
  end("stopped");
}

function start() {
  if (worker) return;
  worker = new Worker(`${HERE}worker.js?v=${WORKER_VERSION}`, { type: "module" });
  worker.onmessage = ({ data }) => hear(data);
  worker.onerror = (event) => { event.preventDefault(); end("load"); };
  worker.postMessage({ task: "start" });
}

function hear(data) {
  if (!waiting || data.id !== waiting.id) return;
  if (data.type === "running") {
    clearTimeout(waiting.timer);
    const seconds = Math.round(LIMIT * Math.min(Math.max(data.pace / USUAL_PACE, 1), 4));
    waiting.timer = setTimeout(() => end("timeout", { seconds }), seconds * 1000);
    waiting.running();
  } else if (data.type === "answer") {
    settle(({ resolve }) => resolve(data.answer));
  } else {
    end(data.type);
  }
}

// A worker cannot be interrupted, only ended. The next one starts at once, so that it is there when it is needed.
function end(why, { seconds } = {}) {
  worker?.terminate();
  worker = null;
  settle(({ reject }) => reject(new Error(PROBLEMS[why].replace("{seconds}", seconds))));
  if (why !== "load") start();
}

function settle(how) {
  const call = waiting;
  waiting = null;
  if (!call) return;
  clearTimeout(call.timer);
  how(call);
}
