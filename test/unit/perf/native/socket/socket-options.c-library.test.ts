import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { addressOf, inLargePages } from '../../../../../main/perf/native/socket/socket-options';

/** What the kernel says of the memory that holds the address: KiB in pages of 2 MiB. */
async function largePagesKiB(address: bigint): Promise<number> {
  const areas = (await readFile('/proc/self/smaps', 'utf8')).split(/\n(?=[\da-f]+-[\da-f]+ )/);
  const holds = areas.find((area) => {
    const [, from = '', to = ''] = /^([\da-f]+)-([\da-f]+) /.exec(area) ?? [];
    return BigInt(`0x${from}`) <= address && address < BigInt(`0x${to}`);
  });
  return Number(/AnonHugePages: +(\d+) kB/.exec(holds ?? '')?.[1]);
}

it('a large message lies in large pages where the kernel says so, and stays what it is', async () => {
  const message = Buffer.alloc(8 * 2 ** 20);
  for (let at = 0; at < message.length; at += 4) message.writeUInt32LE(at, at);
  const before = Buffer.from(message);
  const done = inLargePages(message);
  expect(message.equals(before)).toBe(true);
  const address = addressOf(message);
  if (address === null) throw new Error('the address is not to be found out here');
  // Of 8 MiB, wherever they begin, three such pages are filled at least.
  if (done) expect(await largePagesKiB(address + 2n ** 21n)).toBeGreaterThanOrEqual(3 * 2048);
});

it('a message that fills none is left alone', () => {
  expect(inLargePages(Buffer.alloc(2 ** 21 - 1))).toBe(false);
});
