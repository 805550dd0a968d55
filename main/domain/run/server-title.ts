import type { Environment } from '../../contract/measured/results';

type Served = Pick<Environment, 'tritonVersion' | 'server'>;

/** "Triton 2.51.0", "mlserver 1.7.1"; null: not known. */
export function serverTitle({ tritonVersion, server }: Served): string | null {
  if (server !== undefined) return server;
  if (tritonVersion === null) return null;
  return /^triton/i.test(tritonVersion) ? tritonVersion : `Triton ${tritonVersion}`;
}
