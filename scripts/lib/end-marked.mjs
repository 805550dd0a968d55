import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** The environment variable by which everything that a test run starts is found again, wherever it was moved to. */
export const markerName = 'TRITON_WORKBENCH_TEST_RUN';

function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    // Ended meanwhile, or somebody else's.
    return '';
  }
}

/** Parent and start time of a process; null when it has ended. */
function statOf(pid) {
  const text = read(pid, 'stat');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields[0] === undefined || fields[0] === '' || fields[0] === 'Z'
    ? null
    : { parent: Number(fields[1]), startedAt: fields[19] };
}

/**
 * Those that carry the marker and what they started: programs with an environment of their own do not carry it.
 * This process is left out, and with it what it started without the marker (the Docker Engine, which stays).
 */
function marked(value) {
  const wanted = `${markerName}=${value}`;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const stats = new Map(pids.map((pid) => [Number(pid), statOf(pid)]).filter(([, stat]) => stat !== null));
  const found = new Set([...stats.keys()].filter((pid) => read(pid, 'environ').split('\0').includes(wanted)));
  for (let size = -1; size !== found.size;) {
    size = found.size;
    for (const [pid, { parent }] of stats) if (found.has(parent)) found.add(pid);
  }
  return new Map([...found].map((pid) => [pid, stats.get(pid).startedAt]));
}

const lives = ([pid, startedAt]) => statOf(pid)?.startedAt === startedAt;

function send(processes, signal) {
  for (const [pid, startedAt] of processes) {
    if (!lives([pid, startedAt])) continue;
    try {
      process.kill(pid, signal);
    } catch {
      // Ended in this moment.
    }
  }
}

/** Ends all processes with the marker and their children: asked first, then killed. */
export async function endMarked(value, graceMs) {
  // Known from before the first signal: children of what has ended would not be found by it any more.
  const known = marked(value);
  send(known, 'SIGTERM');
  const endMs = performance.now() + graceMs;
  while (performance.now() < endMs && [...known].some(lives)) await sleep(50);
  send(known, 'SIGKILL');
  send(marked(value), 'SIGKILL');
}
