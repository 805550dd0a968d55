import { isLoopback } from '../../contract/address';
import { engineWords, isElsewhere } from '../../contract/run/engine-kinds';
import type { ServedPlace } from '../../contract/study/search';

/** "Served with Docker on the host gpu1: Triton 2.51.0 at 127.0.0.1:49153"; none where it is not known. Pure. */
export function placeLines({ place }: { readonly place: ServedPlace | null }): readonly string[] {
  if (place === null) return [];
  const { engine, host, address, tritonVersion } = place;
  const on = host === undefined ? '' : ` on the host ${host}`;
  const by = isElsewhere({ kind: engine })
    ? 'Served by a Triton that was already running'
    : `Served with ${engineWords(engine).name}${on}`;
  return [`${by}: Triton ${tritonVersion} at ${address}`];
}

/** " on the host gpu1", " on Triton at gpu-7:8000"; empty: this machine, or not known. Pure. */
export function elsewhereText(place: ServedPlace | null): string {
  if (place === null) return '';
  const { host, address } = place;
  if (host !== undefined) return ` on the host ${host}`;
  return isLoopback(address) ? '' : ` on Triton at ${address}`;
}
