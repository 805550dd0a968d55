import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';

const machineIdFile = '/etc/machine-id';

/** Of a machine id that is never shown: whoever reads the labels of an engine learns nothing of it. */
const idOf = (machineId: string): string =>
  createHash('sha256').update(`triton-workbench ${machineId}`).digest('hex').slice(0, 12);

/**
 * Who makes volumes: the name of this machine, with an id that stays when the name changes; the name only where the
 * machine has no id.
 */
export async function machineHolder(file = machineIdFile): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const id = /^[0-9a-f]{32}$/.exec(text.trim())?.[0];
  return id === undefined ? hostname() : `${hostname()} (${idOf(id)})`;
}

/** Whether this machine made it, under the name that it has now or had then. Pure. */
export function isSameHolder(holder: string, own: string): boolean {
  const idIn = (text: string) => / \(([0-9a-f]{12})\)$/.exec(text)?.[1];
  const [theirs, ours] = [idIn(holder), idIn(own)];
  if (theirs !== undefined && ours !== undefined) return theirs === ours;
  // An earlier version wrote the name only.
  return holder.replace(/ \([0-9a-f]{12}\)$/, '') === own.replace(/ \([0-9a-f]{12}\)$/, '');
}
