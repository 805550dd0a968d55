import type { WireError } from '../contract/errors';

/** Lines at the end of the log that are compared with an error's evidence. */
const recentLines = 200;

/** What a step logs about its own work, beside the output of the programs it runs. */
export interface StepLog {
  readonly lines: (lines: readonly string[]) => void;
  readonly fact: (name: string, value: string) => void;
  readonly warning: (text: string) => void;
  /** Why the step ended, so that its log says so; evidence that is in the log already is not repeated. */
  readonly failure: (error: WireError) => void;
}

/** Lines of an error for a log, its remedy left to whoever shows the error. Pure. */
export function failureLines(error: WireError, recent: readonly string[]): readonly string[] {
  const evidence = (error.details ?? '').split('\n').filter((line) => line.trim() !== '');
  const known = new Set(recent);
  const fresh = evidence.every((line) => known.has(line)) ? [] : evidence;
  const [first = '', ...rest] = error.message.split('\n');
  return [`ERROR: ${first}`, ...rest, ...(error.where === undefined ? [] : [`at ${error.where}`]), ...fresh];
}

export function createStepLog(write: (lines: readonly string[]) => void): StepLog {
  let recent: string[] = [];
  const lines = (added: readonly string[]): void => {
    if (added.length === 0) return;
    recent = [...recent, ...added].slice(-recentLines);
    write(added);
  };
  return {
    lines,
    fact: (name, value) => {
      lines([`${name}: ${value}`]);
    },
    warning: (text) => {
      lines([`WARNING: ${text}`]);
    },
    failure: (error) => {
      lines(failureLines(error, recent));
    },
  };
}
