import { createRequire } from 'node:module';
import type * as Koffi from 'koffi';

/** koffi itself; null where it is not to be had, or the system is not Linux. undefined: not looked for yet. */
let koffi: typeof Koffi | null | undefined;

function loadKoffi(): typeof Koffi | null {
  if (process.platform !== 'linux') return null;
  try {
    return createRequire(import.meta.url)('koffi') as typeof Koffi;
  } catch {
    return null;
  }
}

/** A function of Linux's C library that Node has no way to; null: neither has this machine. */
export function cFunction(declaration: string): ReturnType<Koffi.LibraryHandle['func']> | null {
  if (koffi === undefined) koffi = loadKoffi();
  try {
    return koffi === null ? null : koffi.load(null).func(declaration);
  } catch {
    return null;
  }
}

/** Where the bytes are; null where that is not to be found out. */
export function addressOf(bytes: Buffer): bigint | null {
  if (koffi === undefined) koffi = loadKoffi();
  return koffi === null ? null : koffi.address(bytes);
}

/** Linux's numbers for what is advised; the second one since Linux 6.1. */
const madvHugepage = 14;
const madvCollapse = 25;
const largePageBytes = 2n ** 21n;

type Advise = (address: bigint, length: bigint, advice: number) => number;

/** undefined: not looked for yet. */
let advise: Advise | null | undefined;

/**
 * Puts what is sent again and again into pages of 2 MiB, as far as it fills such: how fast many small ones are copied depends on
 * where they happen to lie. The bytes stay what they are, and where they are.
 * @returns whether it was done; false where nothing fills such a page, or the kernel will not.
 */
export function inLargePages(bytes: Buffer): boolean {
  if (bytes.length < largePageBytes) return false;
  if (advise === undefined) {
    advise = cFunction('int madvise(uintptr_t address, uint64_t length, int advice)') as Advise | null;
  }
  const address = addressOf(bytes);
  if (advise === null || address === null) return false;
  const from = ((address + largePageBytes - 1n) / largePageBytes) * largePageBytes;
  const to = ((address + BigInt(bytes.length)) / largePageBytes) * largePageBytes;
  if (to <= from) return false;
  return advise(from, to - from, madvHugepage) === 0 && advise(from, to - from, madvCollapse) === 0;
}
