import type { CoreEvent } from '../../contract/api';
import { localHost } from '../../contract/host/host-name';
import type { StudyEntry } from '../../contract/study/study';
import { stepTitleOf } from '../../contract/words';
import type { Core } from '../../core';
import type { MatrixResult } from '../../domain/measured/matrix-result';
import { type Output, progressOf } from '../output';
import { formatError } from '../print/format-error';
import { createRunProgress } from '../run-progress';
import { beginLines, cancelling, endLines } from '../work';
import { createLaneOutputs } from './lane-output';

/** Prefixes each line with the number of its run, because jobs report concurrently. */
const numbered = (output: Output, number: number): Output => ({
  ...progressOf(output),
  live: false,
  say: (text) => output.say(`[${number}] ${text.trimStart()}`),
});

const withoutDocument = (output: Output): Output => ({ ...output, json: false, document: () => undefined });

export const stopping = 'Stopping: no further run is started. Press Ctrl-C again to quit immediately.';

interface UnderWay {
  readonly number: number;
  readonly output: Output;
  readonly onEvent: (event: CoreEvent) => void;
}

/** Reports the runs of a study, one lane per host. */
export function createStudyProgress(
  core: Core,
  output: Output,
  study: { readonly name: string; readonly trials: readonly MatrixResult[]; readonly verbose: boolean },
): {
  /** Printed in the lanes of active runs, or on its own without any. */
  readonly sayStop: () => void;
  readonly runIds: () => readonly string[];
  /** Resolves when everything is printed. */
  readonly close: () => Promise<void>;
} {
  const { name, trials, verbose } = study;
  const lanes = createLaneOutputs(output);
  const isSpread = new Set(trials.flatMap(({ hosts = [localHost] }) => hosts)).size > 1;
  const underWay = new Map<string, UnderWay>();
  const outputs = new Map<number, Output>();
  const hosts = new Map<number, string>();
  const outputOf = (number: number): Output => outputs.get(number) ?? withoutDocument(output);
  const begin = (runId: string, number: number, own: Output) => {
    const onEvent = createRunProgress(progressOf(own), { verbose, titleOf: stepTitleOf });
    underWay.set(runId, { number, output: own, onEvent });
  };
  const said: { readonly [Type in StudyEntry['type']]?: (entry: StudyEntry & { type: Type }) => unknown } = {
    'trial-begun': ({ number, turn, of, host }) => {
      hosts.set(number, host ?? localHost);
      const prefix = `[${host ?? localHost} ${number}]`;
      outputs.set(number, isSpread ? lanes.lane(prefix) : withoutDocument(output));
      const words = trials[number - 1]?.axes.map(({ value }) => value).join(', ');
      outputOf(number).say(`\n${turn} of ${of}: ${words ?? ''}`);
    },
    'trial-run': async ({ number, runId, job }) => {
      if (job !== null) {
        output.say(`[${number}] ${runId}: job ${job}`);
        begin(runId, number, numbered(output, number));
        return;
      }
      const own = outputOf(number);
      begin(runId, number, own);
      for (const line of beginLines(runId, (await core.handlers['runs.folder']({ runId })).dir))
        own.say(line);
    },
    'trial-ended': async ({ number, outcome, error, isMoved }) => {
      const own = outputOf(number);
      const [runId, run] = [...underWay].find(([, one]) => one.number === number) ?? [];
      if (runId !== undefined) underWay.delete(runId);
      if (outcome === null && error !== null) own.say(formatError(error));
      // Job lines were already printed with their numbers.
      if (outcome !== null && runId !== undefined && run?.output === own) {
        const { state } = await core.handlers['runs.show']({ runId });
        for (const line of endLines({ outcome, error }, state, output.quiet === true)) own.say(line);
      }
      if (isMoved) {
        own.say(
          `${hosts.get(number) ?? ''} does not respond, and no level of the run was measured. The run starts again on another host.`,
        );
      }
    },
  };
  let tail: Promise<unknown> = Promise.resolve();
  const inTurn = (say: () => unknown) => {
    tail = tail.then(say).catch(() => undefined);
  };
  const stopListening = core.subscribe((event) => {
    if (event.type === 'study' && event.name === name) {
      const { entry } = event;
      inTurn(() => (said[entry.type] as ((one: StudyEntry) => unknown) | undefined)?.(entry));
    } else if ('runId' in event) inTurn(() => underWay.get(event.runId)?.onEvent(event));
  });
  return {
    runIds: () => [...underWay.keys()],
    sayStop: () => {
      const own = new Set([...underWay.values()].map((one) => one.output));
      for (const one of own) one.say(cancelling);
      if (own.size > 0) return;
      output.say(stopping);
    },
    close: async () => {
      stopListening();
      await tail;
    },
  };
}
