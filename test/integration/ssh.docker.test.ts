import { readFile } from 'node:fs/promises';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { finished } from 'node:stream/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { childOfVariable } from '../../main/platform/left-children';
import { processesWhere } from '../../main/platform/process';
import { endSshConnections, sshForward } from '../../main/platform/ssh/ssh-connection';
import { sshRun, sshStream } from '../../main/platform/ssh/ssh-run';
import { rejection } from '../support/rejection';
import { sshdProblem, startSshd, type TestSshd } from '../support/sshd';
import { until } from '../support/until';

const ask = (port: number): Promise<string> =>
  new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, agent: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.once('end', () => {
        resolve(text);
      });
    }).once('error', reject);
  });

/** ssh processes of this test process. */
async function sshProcesses(): Promise<readonly number[]> {
  const own = await processesWhere(childOfVariable, (value) => value.startsWith(`${process.pid}.`));
  const names = await Promise.all(own.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '')));
  return own.filter((_pid, index) => names[index]?.trim() === 'ssh');
}

describe.skipIf(sshdProblem() !== null)('a machine that ssh reaches', () => {
  let sshd: TestSshd;
  let server: Server;
  beforeAll(async () => {
    sshd = await startSshd();
    server = createServer((_request, answer) => answer.end('over there'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(endSshConnections);
  afterAll(async () => {
    server.close();
    await sshd.stop();
  });
  const target = { destination: 'gpu1', port: null };

  it('runs commands, all in one login, more of them than sshd has sessions for one', async () => {
    const before = await sshd.logins();
    const run = (command: string) => sshRun(target, command, { env: sshd.env });
    expect(await run('echo out; echo err >&2; exit 3')).toEqual({
      exitCode: 3,
      stdout: 'out\n',
      stderr: 'err\n',
    });
    for (let index = 0; index < 5; index += 1) expect((await run(`echo ${index}`)).stdout).toBe(`${index}\n`);
    expect(await sshd.logins()).toBe(before + 1);
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => run(`sleep 0.5; echo ${index}`)));
    expect(all.map(({ stdout }) => Number(stdout))).toEqual(all.map((_, index) => index));
  });

  it('is left within the limit, and after so many bytes', async () => {
    const late = await rejection(sshRun(target, 'sleep 60', { env: sshd.env, timeoutMs: 500 }));
    expect(late).toMatchObject({ code: 'host-unreachable' });
    expect(late.message).toContain('no answer within 0.5 s');
    const much = await sshRun(target, 'head -c 100000 /dev/zero', { env: sshd.env, maxBytes: 1000 });
    expect(much.stdout).toHaveLength(1000);
  });

  it('has a stream for a command, with its last words where it fails', async () => {
    const echo = await sshStream(target, 'cat', sshd.env);
    const sent = Buffer.alloc(300_000, 'a');
    echo.end(sent);
    const parts: Buffer[] = [];
    for await (const part of echo) parts.push(part as Buffer);
    expect(Buffer.concat(parts).equals(sent)).toBe(true);
    const failing = await sshStream(target, 'echo out; echo why it fails >&2; exit 1', sshd.env);
    failing.resume();
    await expect(finished(failing)).rejects.toThrow('ssh: why it fails');
  });

  it('leads a tunnel to a server there, until it is closed or the line is cut', async () => {
    const { port } = server.address() as AddressInfo;
    const first = await sshForward(target, '127.0.0.1', port, { env: sshd.env });
    const second = await sshForward(target, 'localhost', port, { env: sshd.env });
    expect(await ask(first.localPort)).toBe('over there');
    expect(await ask(second.localPort)).toBe('over there');
    await first.close();
    await expect(ask(first.localPort)).rejects.toThrow('ECONNREFUSED');
    expect(await ask(second.localPort)).toBe('over there');
    await sshd.cut();
    expect(await second.ended).toMatchObject({ code: 'host-unreachable' });
    await expect(ask(second.localPort)).rejects.toThrow('ECONNREFUSED');
  });

  it('is logged in to again after the line was cut, and what ran there says so', async () => {
    const sleeping = rejection(sshRun(target, 'sleep 60', { env: sshd.env, timeoutMs: 50_000 }));
    await sshRun(target, 'true', { env: sshd.env });
    await sshd.cut();
    expect(await sleeping).toMatchObject({ code: 'host-unreachable' });
    expect((await sshRun(target, 'echo again', { env: sshd.env })).stdout).toBe('again\n');
  });

  it('leaves no process of ssh behind', async () => {
    await sshRun(target, 'true', { env: sshd.env });
    expect(await sshProcesses()).not.toEqual([]);
    await endSshConnections();
    await until('no ssh is left', async () => (await sshProcesses()).length === 0);
  });

  it('whose key is not known is refused, with what to type', async () => {
    await sshd.forgetHostKey();
    const error = await rejection(sshRun(target, 'true', { env: sshd.env }));
    expect(error).toMatchObject({ code: 'host-unreachable' });
    expect(error.message).toContain('Host key verification failed');
    expect(error.remedy).toContain(`ssh -F ${sshd.env['TRITON_WORKBENCH_SSH_CONFIG'] ?? ''} gpu1`);
  });
});
