/** Everything the set-up says goes to stderr: stdout belongs to the command itself. */
export function say(text) {
  process.stderr.write(`${text}\n`);
}

/** A set-up failure told as one sentence: what, why, what to do. Never shown with a stack trace. */
export class SetupError extends Error {}

export function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(bytes < 10e6 ? 1 : 0)} MB`;
}

export function seconds(startMs) {
  return `${((performance.now() - startMs) / 1000).toFixed(1)} s`;
}
