import { spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { listeningSocketsOf } from '../../../../main/engine/local/listening-sockets';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listening(): Promise<{ readonly port: number; readonly fd: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  const { fd } = (server as unknown as { readonly _handle: { readonly fd: number } })._handle;
  return { port: (server.address() as AddressInfo).port, fd };
}

it('sees its own sockets', async () => {
  const { port } = await listening();
  expect((await listeningSocketsOf(process.pid)).map((socket) => socket.port)).toContain(port);
});

it('does not take a socket that a process inherited from the workbench for one of its own', async () => {
  const { port, fd } = await listening();
  const child = spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', 'ignore', fd] });
  closers.push(() => child.kill('SIGKILL'));
  await new Promise((resolve) => child.once('spawn', resolve));
  const ports = (await listeningSocketsOf(child.pid ?? 0)).map((socket) => socket.port);
  expect(ports).not.toContain(port);
});
