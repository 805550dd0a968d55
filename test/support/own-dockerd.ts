import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectDocker, type DockerClient } from '../../main/docker/client';

const startLimitMs = 60_000;
const systemFolders = '/usr/local/sbin:/usr/sbin:/sbin';

const pathWith = (folder: string) => `${folder}:${process.env['PATH'] ?? ''}:${systemFolders}`;

/** Why no Docker Engine can be started here; null where one can. */
export function dockerdProblem(): string | null {
  if (process.getuid?.() !== 0) return 'only root can start a Docker daemon';
  try {
    execFileSync('dockerd', ['--version'], { env: { ...process.env, PATH: pathWith('') }, stdio: 'pipe' });
    return null;
  } catch {
    return 'dockerd is not installed';
  }
}

/** Major version of the dockerd on the PATH. */
export function dockerdMajor(): number {
  const text = execFileSync('dockerd', ['--version'], { env: { ...process.env, PATH: pathWith('') } });
  return Number(/version v?(\d+)\./.exec(text.toString())?.[1] ?? 0);
}

export interface OwnDockerd {
  readonly client: DockerClient;
  stop(): Promise<void>;
}

/**
 * A real Docker Engine beside the one of the machine: own data, own socket, no networks. It has a network namespace of its
 * own: without a bridge it removes a bridge docker0 that it finds, which is that of the machine's engine.
 * @param input.tools folder that comes first on its PATH
 * @param input.settings of its daemon.json
 */
export async function startOwnDockerd(input: {
  readonly tools: string;
  readonly settings: Readonly<Record<string, unknown>>;
}): Promise<OwnDockerd> {
  const folder = await mkdtemp(join(tmpdir(), 'workbench-dockerd-'));
  const settings = join(folder, 'daemon.json');
  const socketPath = join(folder, 'docker.sock');
  await writeFile(settings, JSON.stringify(input.settings));
  const log = openSync(join(folder, 'log'), 'a');
  const child = spawn(
    'unshare',
    [
      ...['--net', 'dockerd', '--config-file', settings, '--pidfile', join(folder, 'pid')],
      ...['--host', `unix://${socketPath}`],
      ...['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')],
      ...['--bridge=none', '--iptables=false', '--containerd-namespace', `twb-test-${String(process.pid)}`],
    ],
    { env: { ...process.env, PATH: pathWith(input.tools) }, stdio: ['ignore', log, log] },
  );
  closeSync(log);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => {
      resolve();
    });
    child.once('exit', () => {
      resolve();
    });
  });
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const host = `unix://${socketPath}`;
  const endMs = performance.now() + startLimitMs;
  for (;;) {
    try {
      return { client: await connectDocker({ kind: 'unix', host, socketPath }, process.env), stop };
    } catch (error) {
      if (performance.now() < endMs && child.exitCode === null) {
        await sleep(100);
        continue;
      }
      const said = (await readFile(join(folder, 'log'), 'utf8')).split('\n').slice(-8).join('\n');
      await stop();
      throw new Error(`dockerd does not start:\n${said}`, { cause: error });
    }
  }
}
