import { localHost } from '../../contract/host/host-name';
import type { Choice } from '../../contract/run/spec-tools';
import { mergeTrees, type Tree } from '../../contract/trees';
import type { Core } from '../../core';
import type { MatrixResult } from '../../domain/measured/matrix-result';
import { exitCodes, type Output } from '../output';
import type { RunOptions } from '../read-spec';
import { budgetOf } from '../settings';

/** Options of `run` that a matrix has too. */
export interface MatrixFlags {
  /** Names with commas, or "all". */
  readonly hosts?: string;
  readonly resume?: boolean;
  readonly out?: string;
  readonly allowRemoteLoad?: boolean;
  readonly skipPreflight?: boolean;
  readonly p99BudgetMs?: number;
  readonly detach?: boolean;
  readonly verbose?: boolean;
}

export interface MatrixOptions extends RunOptions, MatrixFlags {
  readonly matrix: string;
}

/** A run of the matrix before it is started. */
export interface PlannedRun extends MatrixResult {
  readonly choice: Choice;
  /** The part of the choice that the command itself says. */
  readonly typed: Tree;
  /** SHA-256 (hex) of the choice: how the run is found again. */
  readonly entry: string;
}

export interface Ended extends PlannedRun {
  readonly code: number;
}

/** Ctrl-C while a matrix plans, creates and works on its runs: no further run is started. */
export interface Stop {
  readonly signal: AbortSignal;
  /** While this is worked on, it answers Ctrl-C itself. */
  answeredBy<Value>(work: () => Promise<Value>): Promise<Value>;
  dispose(): void;
}

/** Listens from now on; the second Ctrl-C ends the process at once. */
export function listenForStop(
  output: Pick<Output, 'say'>,
  exit: (code: number) => void = (code) => process.exit(code),
): Stop {
  const controller = new AbortController();
  const answering = { count: 0 };
  const stop = (): void => {
    if (controller.signal.aborted) {
      exit(exitCodes.cancelled);
      return;
    }
    controller.abort();
    if (answering.count === 0) {
      output.say('Stopping: no further run is started. Press Ctrl-C again to quit immediately.');
    }
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return {
    signal: controller.signal,
    answeredBy: async (work) => {
      answering.count += 1;
      try {
        return await work();
      } finally {
        answering.count -= 1;
      }
    },
    dispose: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}

export interface Session {
  readonly core: Core;
  readonly output: Output;
  readonly options: MatrixOptions;
  readonly name: string;
  /** Hosts to spread the runs over; null: each where it says itself. */
  readonly hosts: readonly string[] | null;
  readonly stop: Stop;
}

export const withoutDocument = (output: Output): Output => ({
  ...output,
  json: false,
  document: () => undefined,
});

/** Where a run is given to. */
export interface Place {
  /** "local": this machine. */
  readonly host: string;
  /** The GPUs there that it may have; null: as it asks. */
  readonly gpus: readonly string[] | null;
}

/** What was chosen for the run, at this place. */
function choiceAt({ preset, overrides }: Choice, place: Place | null): Choice {
  if (place === null) return { preset, overrides };
  const host = place.host === localHost ? {} : { host: place.host };
  const gpus = place.gpus === null ? {} : { gpus: [...place.gpus] };
  return { preset, overrides: mergeTrees(overrides, { engine: { kind: 'docker', ...host, ...gpus } }) };
}

/** The run in the store, which is there already where it is continued. @param place null: where the run says itself */
export async function started(
  session: Session,
  run: PlannedRun,
  place: Place | null = null,
): Promise<string> {
  const { core, name, options } = session;
  if (run.state !== null) return run.state.runId;
  const spec = await core.handlers['spec.resolve'](choiceAt(run.choice, place));
  const { skipPreflight = false } = options;
  const p99BudgetMs = await budgetOf(core, options.p99BudgetMs);
  const matrix = { name, entry: run.entry };
  const how = { skipPreflight, matrix, p99BudgetMs, ofFile: true };
  const { runId } = await core.handlers['runs.create']({ spec, ...how });
  await core.handlers['runs.annotate']({ runId, tags: [name], note: '' });
  return runId;
}
