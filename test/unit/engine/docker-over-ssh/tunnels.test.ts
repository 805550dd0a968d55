import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTunnels } from '../../../../main/engine/docker-over-ssh/tunnels';

/** Says that it is connected, and that it forwards: what is behind the tunnel is not asked here. */
const program = `#!/bin/sh
for word in "$@"; do
  case "$word" in
    ControlPath=*) touch "\${word#ControlPath=}"; exec sleep 600 ;;
  esac
done
`;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'twb-tunnels-'));
  await writeFile(join(folder, 'ssh'), program);
  await chmod(join(folder, 'ssh'), 0o755);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const isOpen = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(address.split(':')[1]) });
    socket.once('error', () => {
      resolve(false);
    });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

it('lead from one address here, however many ask for it at once, and from none after the end', async () => {
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  const tunnels = createTunnels({ destination: 'there', port: null }, env);
  const { signal } = new AbortController();
  try {
    const open = () => tunnels.open('127.0.0.1:8000', signal);
    const [one, other] = await Promise.all([open(), open()]);
    expect(other).toBe(one);
    expect(await isOpen(one)).toBe(true);
    tunnels.close();
    expect(await isOpen(one)).toBe(false);
  } finally {
    tunnels.close();
  }
});

/** The same, whose forwarding waits for the file `go`, and which says what it is to forward. */
const slowProgram = `#!/bin/sh
for word in "$@"; do
  case "$word" in
    ControlPath=*) echo $$ > "$0.pid"; touch "\${word#ControlPath=}"; exec sleep 600 ;;
  esac
done
echo "$@" > "$0.forward"
while [ ! -e "$0.go" ]; do sleep 0.02; done
`;

it('lead nobody there who has given up before the line was there again', async () => {
  const ssh = join(folder, 'ssh');
  await writeFile(ssh, slowProgram);
  await writeFile(`${ssh}.go`, '');
  const env = { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` };
  const tunnels = createTunnels({ destination: 'there', port: null }, env);
  const behind = createServer((socket) => socket.end('here'));
  try {
    const address = await tunnels.open('127.0.0.1:8000', new AbortController().signal);
    await Promise.all([rm(`${ssh}.go`), rm(`${ssh}.forward`)]);
    process.kill(Number(await readFile(`${ssh}.pid`, 'utf8')));
    // Each gives up at once; the first behind the cut has the line made again.
    const forward = await vi.waitFor(async () => {
      await isOpen(address);
      return readFile(`${ssh}.forward`, 'utf8');
    });
    const port = Number(/-L 127\.0\.0\.1:(\d+):/.exec(forward)?.[1]);
    let led = 0;
    behind.on('connection', () => (led += 1));
    await new Promise<void>((resolve) => behind.listen(port, '127.0.0.1', resolve));
    const patient = connect({ host: '127.0.0.1', port: Number(address.split(':')[1]) });
    await once(patient, 'connect');
    await writeFile(`${ssh}.go`, '');
    expect(String(await once(patient, 'data'))).toBe('here');
    expect(led).toBe(1);
  } finally {
    tunnels.close();
    behind.close();
  }
});
