import { expect, it } from 'vitest';
import { listenForStop } from '../../../../main/cli/matrix/matrix-session';
import { exitCodes } from '../../../../main/cli/output';

function listening() {
  const said: string[] = [];
  const exits: number[] = [];
  const stop = listenForStop({ say: (line) => said.push(line) }, (code) => exits.push(code));
  return { stop, said, exits };
}

it('is heard while a matrix creates its runs, said once, and ends the process at the second time', () => {
  const { stop, said, exits } = listening();
  try {
    expect(stop.signal.aborted).toBe(false);
    process.emit('SIGINT');
    expect(stop.signal.aborted).toBe(true);
    expect(said).toEqual(['Stopping: no further run is started. Press Ctrl-C again to quit immediately.']);
    expect(exits).toEqual([]);
    process.emit('SIGTERM');
    expect([said.length, exits]).toEqual([1, [exitCodes.cancelled]]);
  } finally {
    stop.dispose();
  }
  process.listeners('SIGINT').forEach((listener) => {
    expect(String(listener)).not.toContain('no further run is started');
  });
});

it('leaves the answer to the run that is under way', async () => {
  const { stop, said } = listening();
  try {
    await stop.answeredBy(() => {
      process.emit('SIGINT');
      return Promise.resolve();
    });
    expect([stop.signal.aborted, said]).toEqual([true, []]);
  } finally {
    stop.dispose();
  }
});
