import { exitCodes, type Output } from '../output';

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
