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
