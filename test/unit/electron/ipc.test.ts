import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createEventSender, registerCalls } from '../../../electron/ipc';
import type { CallAnswer, WindowEvent } from '../../../main/contract/api';
import { createStepLog } from '../../../renderer/stores/logs/step-log';
import { createClientDouble } from '../renderer/client-double';

type Handle = (event: object, name: string, input: unknown) => Promise<CallAnswer<unknown>>;

const handles = vi.hoisted((): Handle[] => []);
vi.mock('electron', () => ({
  ipcMain: { on: () => undefined, handle: (_channel: string, handle: Handle) => handles.push(handle) },
}));
vi.mock('../../../electron/origin', () => ({ isTrustedFrame: () => true }));

beforeEach(() => {
  handles.length = 0;
});

const log = (...lines: string[]): WindowEvent => ({ type: 'log', runId: 'a', step: 'export', lines });

describe('an answer to the page', () => {
  it('comes after the events that were told before it, so that no line of a log is shown twice', async () => {
    const written = ['first', 'second'];
    const store = createStepLog(
      createClientDouble({
        'runs.log': async (input) => {
          const answer = await handles[0]?.({}, 'runs.log', input);
          return answer?.ok === true ? answer.value : [];
        },
      }).client,
    );
    const events = createEventSender({
      isDestroyed: () => false,
      send: (_channel: string, text: string) => {
        for (const event of JSON.parse(text) as readonly WindowEvent[]) store.getState().onEvent(event);
      },
    });
    registerCalls({
      events,
      answers: Promise.resolve(() => {
        // In the file already, and on their way to the page.
        events.send(log(...written));
        return Promise.resolve({ ok: true, value: written });
      }),
      onGiven: () => undefined,
      onAnswer: () => undefined,
    });
    await store.getState().open('a', 'export');
    events.send(log('third'));
    const { lines } = store.getState();
    const shown = () => Array.from({ length: lines.length }, (_, index) => lines.at(index));
    await expect.poll(shown).toEqual(['first', 'second', 'third']);
    events.dispose();
  });
});
