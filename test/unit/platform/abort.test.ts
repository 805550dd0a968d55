import { expect, it } from 'vitest';
import { untilEnded } from '../../../main/platform/abort';

function ending(timeoutMs = 60_000) {
  const controller = new AbortController();
  const closed: string[] = [];
  return {
    controller,
    closed,
    how: {
      ...{ timeoutMs, signal: controller.signal },
      cancelled: () => new Error('cancelled'),
      late: () => new Error('late'),
      close: () => void closed.push('closed'),
    },
  };
}

it('settles as it is told, and has closed before', async () => {
  const { how, closed } = ending();
  expect(await untilEnded(how, (done) => done(3))).toBe(3);
  await expect(untilEnded(how, (_done, fail) => fail(new Error('refused')))).rejects.toThrow('refused');
  expect(closed).toEqual(['closed', 'closed']);
});

it('ends at the abort, and begins nothing after it', async () => {
  const { how, closed, controller } = ending();
  const waiting = untilEnded(how, () => undefined);
  controller.abort();
  await expect(waiting).rejects.toThrow('cancelled');
  const begun: string[] = [];
  await expect(untilEnded(how, () => void begun.push('begun'))).rejects.toThrow('cancelled');
  expect({ begun, closed }).toEqual({ begun: [], closed: ['closed', 'closed'] });
});

it('ends when the time is up', async () => {
  await expect(untilEnded(ending(1).how, () => undefined)).rejects.toThrow('late');
});
