import { z } from 'zod';
import { WorkbenchError } from '../contract/errors';
import { errorTextOf, requestTriton } from './http';
import type { TlsMaterial } from './tls';

const timeoutMs = 10_000;
const statusSchema = z.array(z.object({ name: z.string() }));

/** The server's HTTP endpoint, `tls` null in the clear. */
interface RegionServer {
  readonly httpAddress: string;
  readonly tls: TlsMaterial | null;
}

interface SystemRegion {
  readonly name: string;
  /** POSIX name, "/name": the file of that name under /dev/shm of the server. */
  readonly key: string;
  readonly bytes: number;
}

const path = (name: string, verb: string) =>
  `/v2/systemsharedmemory/region/${encodeURIComponent(name)}/${verb}`;

/** Makes a region known to the server. Throws inference-failed with the server's reason, and server-unreachable. */
export async function registerSystemRegion(
  { httpAddress, tls }: RegionServer,
  region: SystemRegion,
): Promise<void> {
  const response = await requestTriton(httpAddress, {
    method: 'POST',
    path: path(region.name, 'register'),
    body: Buffer.from(JSON.stringify({ key: region.key, offset: 0, byte_size: region.bytes })),
    headers: { 'Content-Type': 'application/json' },
    timeoutMs,
    tls,
  });
  if (response.status !== 200) {
    throw new WorkbenchError('inference-failed', 'Triton did not take the shared memory', {
      where: region.key,
      details: errorTextOf(response),
      remedy: 'Server and load generator must run on one machine and see the same /dev/shm.',
    });
  }
}

/** Forgets one region by its own name; regions of others stay. An unknown name is no error. */
export async function unregisterSystemRegion(
  { httpAddress, tls }: RegionServer,
  name: string,
): Promise<void> {
  await requestTriton(httpAddress, {
    method: 'POST',
    path: path(name, 'unregister'),
    body: Buffer.from('{}'),
    headers: { 'Content-Type': 'application/json' },
    timeoutMs,
    tls,
  });
}

/** Names of all regions that the server knows, those of others too. Throws server-unreachable. */
export async function systemRegionNames({ httpAddress, tls }: RegionServer): Promise<ReadonlySet<string>> {
  const response = await requestTriton(httpAddress, {
    method: 'GET',
    path: '/v2/systemsharedmemory/status',
    timeoutMs,
    tls,
  });
  const parsed = statusSchema.safeParse(
    response.status === 200 ? (JSON.parse(response.body.toString('utf8')) as unknown) : null,
  );
  if (!parsed.success) {
    throw new WorkbenchError('server-unreachable', 'The server does not tell its shared memory regions', {
      details: errorTextOf(response),
    });
  }
  return new Set(parsed.data.map((region) => region.name));
}
