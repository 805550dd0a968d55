import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
