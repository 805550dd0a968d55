import { expect, it } from 'vitest';
import { exitCodes } from '../../../main/cli/output';
import { createStudyProgress } from '../../../main/cli/studies/study-progress';
import { listenForStops } from '../../../main/cli/work';
import type { CoreEvent } from '../../../main/contract/api';
import type { StudyBody } from '../../../main/contract/study/study';
import type { Core } from '../../../main/core';

/** A study that the CLI says, whose core tells what the test says. */
function listening(isHandedOver = false) {
  const said: string[] = [];
  const exits: number[] = [];
  const asked: ('cancel' | 'leave')[] = [];
  const listeners = new Set<(event: CoreEvent) => void>();
  const core = {
    subscribe: (listener: (event: CoreEvent) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    handlers: { 'runs.folder': () => Promise.resolve({ dir: '/home/runs/one' }) },
  };
  const output = {
    ...{ json: false, live: false, document: () => undefined, rewrite: () => undefined },
    ...{ say: (line: string) => said.push(line), clearScreen: () => undefined },
  };
  const study = { name: 'night', trials: [], verbose: false };
  const progress = createStudyProgress(core as unknown as Core, output, study);
  const dispose = listenForStops(
    core as unknown as Core,
    {
      ...{ runIds: progress.runIds, isHandedOver: () => isHandedOver, say: output.say },
      cancel: () => {
        asked.push('cancel');
        progress.sayStop();
      },
      leave: () => {
        asked.push('leave');
      },
    },
    (code) => {
      exits.push(code);
    },
  );
  const onEvent = async (body: StudyBody) => {
    for (const one of listeners) one({ type: 'study', name: 'night', entry: { seq: 1, at: '', ...body } });
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ...{ said, exits, asked, onEvent, dispose }, close: () => progress.close() };
}

it('is heard while a matrix creates its runs, said once, and ends the process at the second time', () => {
  const { dispose, said, exits, asked } = listening();
  try {
    process.emit('SIGINT');
    expect(asked).toEqual(['cancel']);
    expect(said).toEqual(['Stopping: no further run is started. Press Ctrl-C again to quit immediately.']);
    expect(exits).toEqual([]);
    process.emit('SIGTERM');
    expect([said.length, exits]).toEqual([1, [exitCodes.cancelled]]);
  } finally {
    dispose();
  }
  const before = said.length;
  for (const listener of process.listeners('SIGINT')) expect(String(listener)).not.toContain('isHandedOver');
  expect(said.length).toBe(before);
});

it('is said of the run that is under way', async () => {
  const { dispose, said, onEvent, close } = listening();
  try {
    await onEvent({ type: 'trial-begun', number: 1, turn: 1, of: 1, host: null });
    await onEvent({ type: 'trial-run', number: 1, runId: 'one', job: null });
    process.emit('SIGINT');
    expect(said.slice(1)).toEqual([
      'Run one',
      '  in /home/runs/one',
      'Cancelling. Press Ctrl-C again to quit immediately.',
    ]);
  } finally {
    dispose();
    await close();
  }
});

it('leaves jobs to themselves', () => {
  const { dispose, said, asked } = listening(true);
  try {
    process.emit('SIGINT');
    expect([asked, said]).toEqual([['leave'], []]);
  } finally {
    dispose();
  }
});
