import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { endProcesses, identitiesOf, isAlive, readProcessStat } from '../../../main/platform/process';
import { until } from '../../support/until';

/** Its first thread ends by the system call exit (60 on x86-64, 93 on others), and another works on. */
const program = `
import ctypes, os, platform, threading, time
threading.Thread(target=lambda: time.sleep(60)).start()
ctypes.CDLL(None).syscall(60 if platform.machine() == 'x86_64' else 93, 0)
`;

describe('a process whose first thread has ended', () => {
  it('runs until its last one has, and is waited for so long', async () => {
    const child = spawn('python3', ['-c', program], { stdio: 'ignore' });
    const pid = child.pid ?? 0;
    await until('its first thread has ended', () => Promise.resolve(readProcessStat(pid)?.[0] === 'Z'));
    const [identity] = identitiesOf([pid]);
    expect(identity).toMatchObject({ pid });
    const ended = once(child, 'exit');
    // What is found by its environment is not found any more, and is not gone for that.
    let polls = 0;
    const result = await endProcesses(() => Promise.resolve((polls += 1) === 1 ? [pid] : []), 10_000);
    expect(result).toEqual({ ended: [pid], left: [] });
    expect(identity !== undefined && isAlive(identity)).toBe(false);
    await ended;
  });
});
