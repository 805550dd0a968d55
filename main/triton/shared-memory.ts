import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { errorTextOf, requestTriton } from './http';
import type { TlsMaterial } from './tls';

const timeoutMs = 10_000;
const statusSchema = z.array(z.object({ name: z.string() }));

/** `tls` null: no TLS. */
interface RegionServer {
  readonly httpAddress: string;
  readonly tls: TlsMaterial | null;
}

interface SystemRegion {
  readonly name: string;
  /** POSIX name "/name": file under the server's /dev/shm. */
  readonly key: string;
  readonly bytes: number;
}

const ask = ({ httpAddress, tls }: RegionServer, path: string, body?: unknown) =>
  requestTriton(httpAddress, {
    path: `/v2/systemsharedmemory/${path}`,
    timeoutMs,
    tls,
    ...(body === undefined
      ? { method: 'GET' }
      : {
          method: 'POST',
          body: Buffer.from(JSON.stringify(body)),
          headers: { 'Content-Type': 'application/json' },
        }),
  });

const change = (server: RegionServer, name: string, verb: string, body: unknown) =>
  ask(server, `region/${encodeURIComponent(name)}/${verb}`, body);

/** Throws inference-failed with the server's reason, and server-unreachable. */
export async function registerSystemRegion(server: RegionServer, region: SystemRegion): Promise<void> {
  const placed = { key: region.key, offset: 0, byte_size: region.bytes };
  const response = await change(server, region.name, 'register', placed);
  if (response.status !== 200) {
    throw new WorkbenchError('inference-failed', 'Triton rejected the shared memory', {
      where: region.key,
      details: errorTextOf(response),
      remedy: 'Server and load generator must run on one machine and see the same /dev/shm.',
    });
  }
}

/** Unregisters one region; no error for unknown names. */
export async function unregisterSystemRegion(server: RegionServer, name: string): Promise<void> {
  await change(server, name, 'unregister', {});
}

/** All registered regions, also others'. Throws server-unreachable. */
export async function systemRegionNames(server: RegionServer): Promise<ReadonlySet<string>> {
  const response = await ask(server, 'status');
  const parsed = statusSchema.safeParse(
    response.status === 200 ? (JSON.parse(response.body.toString('utf8')) as unknown) : null,
  );
  if (!parsed.success) {
    throw new WorkbenchError('server-unreachable', 'The server does not report its shared memory regions', {
      details: errorTextOf(response),
    });
  }
  return new Set(parsed.data.map((region) => region.name));
}
