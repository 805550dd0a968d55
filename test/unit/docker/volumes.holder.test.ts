import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isSameHolder, machineHolder } from '../../../main/docker/volumes';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-holder-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('who makes volumes', () => {
  it('is this machine by an id that does not give away its own', async () => {
    const file = join(dir, 'machine-id');
    const machineId = '0123456789abcdef0123456789abcdef';
    await writeFile(file, `${machineId}\n`);
    const holder = await machineHolder(file);
    expect(holder).toMatch(/ \([0-9a-f]{12}\)$/);
    expect(holder.startsWith(hostname())).toBe(true);
    expect(machineId).not.toContain(holder.slice(-13, -1));
    expect(await machineHolder(file)).toBe(holder);
  });

  it('is a name where the machine has no id', async () => {
    expect(await machineHolder(join(dir, 'none'))).toBe(hostname());
    await writeFile(join(dir, 'odd'), 'uninitialized\n');
    expect(await machineHolder(join(dir, 'odd'))).toBe(hostname());
  });

  it('is the same under a new name, and another where only the name is the same', () => {
    expect(isSameHolder('old (0123456789ab)', 'new (0123456789ab)')).toBe(true);
    expect(isSameHolder('desk (0123456789ab)', 'desk (ba9876543210)')).toBe(false);
    // Volumes of an earlier version, and machines without an id.
    expect(isSameHolder('desk', 'desk (0123456789ab)')).toBe(true);
    expect(isSameHolder('desk', 'rack (0123456789ab)')).toBe(false);
    expect(isSameHolder('desk (0123456789ab)', 'desk')).toBe(true);
  });
});
