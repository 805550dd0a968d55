import { createServer } from 'node:net';
import { WorkbenchError } from '../../contract/errors';
import { portOwner } from './listening-sockets';

/** `port-taken` with the process that holds the port, as far as the system tells. */
export async function portTaken(port: number): Promise<WorkbenchError> {
  const owner = await portOwner(port);
  const command = owner === null || owner.command === '' ? '' : ` (${owner.command.slice(0, 300)})`;
  const pid = owner?.pid ?? null;
  const who = pid === null ? 'a process that the system does not name' : `process ${pid}${command}`;
  return new WorkbenchError('port-taken', `Port ${port} is in use: ${who} listens on it`, {
    where: `127.0.0.1:${port}`,
  });
}

/** null when the port of the loopback address can be bound now. */
export function tryBind(port: number): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error) => {
      resolve(error);
    });
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      server.close(() => {
        resolve(null);
      });
    });
  });
}

/** Throws port-taken, or input-invalid for a port that this user may not have. */
export async function assertPortsFree(ports: readonly (number | undefined)[]): Promise<void> {
  const fixed = ports.filter((port) => port !== undefined);
  if (new Set(fixed).size < fixed.length) {
    throw new WorkbenchError('input-invalid', `Port ${fixed[0] ?? 0} cannot be used for both HTTP and gRPC`);
  }
  for (const port of fixed) {
    const refusal = await tryBind(port);
    if (refusal?.code === 'EADDRINUSE') throw await portTaken(port);
    if (refusal !== null) {
      throw new WorkbenchError('input-invalid', `Port ${port} cannot be used: ${refusal.message}`, {
        remedy: 'Ports below 1024 are reserved for root. Choose a higher port.',
      });
    }
  }
}
