import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
import type * as Koffi from 'koffi';

/** null: unavailable or not Linux. undefined: not loaded yet. */
let koffi: typeof Koffi | null | undefined;

function loadKoffi(): typeof Koffi | null {
  if (process.platform !== 'linux') return null;
  try {
    return createRequire(import.meta.url)('koffi') as typeof Koffi;
  } catch {
    return null;
  }
}

/** A libc function that Node does not expose; null if unavailable. */
function cFunction(declaration: string): ReturnType<Koffi.LibraryHandle['func']> | null {
  if (koffi === undefined) koffi = loadKoffi();
  try {
    return koffi === null ? null : koffi.load(null).func(declaration);
  } catch {
    return null;
  }
}

/** null if unknown. */
export function addressOf(bytes: Buffer): bigint | null {
  if (koffi === undefined) koffi = loadKoffi();
  return koffi === null ? null : koffi.address(bytes);
}

/** Linux's advice numbers; MADV_COLLAPSE since Linux 6.1. */
const madvHugepage = 14;
const madvCollapse = 25;
const largePageBytes = 2n ** 21n;

type Advise = (address: bigint, length: bigint, advice: number) => number;

/** undefined: not loaded yet. */
let advise: Advise | null | undefined;

/** 2 MiB pages, because copy speed depends on placement. @returns false without a whole page, or if refused */
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

/** Linux's option numbers and levels. */
const solSocket = 1;
const soSndbuf = 7;
const soRcvlowat = 18;
/** The kernel doubles the value, for bookkeeping. */
const sendBufferBytes = 512 * 1024;
/** Smaller requests gain nothing. */
const leastRequestBytes = 2 ** 20;

type SetSocketOption = (
  file: number,
  level: number,
  name: number,
  value: Int32Array,
  length: number,
) => number;

/** undefined: not loaded yet. */
let setSocketOption: SetSocketOption | null | undefined;

/**
 * Limits the loopback send buffer to 0.5 MiB for requests of 1 MiB and more. The default of 4 MB exceeds CPU caches
 * before the receiver copies it. Other machines need the autotuned size.
 * @returns whether it was set
 */
export function limitSendBuffer(socket: Socket, requestBytes: number): boolean {
  return requestBytes >= leastRequestBytes && setLocally(socket, soSndbuf, sendBufferBytes);
}

/** SO_RCVLOWAT on loopback: fewer bytes are invisible until the peer closes. @returns whether it was set */
export const readWithAtLeast = (socket: Socket, bytes: number): boolean =>
  setLocally(socket, soRcvlowat, bytes);

function setLocally(socket: Socket, option: number, value: number): boolean {
  if (!isOnThisMachine(socket.remoteAddress ?? '')) return false;
  const file = fileOf(socket);
  if (setSocketOption === undefined) {
    setSocketOption = cFunction(
      'int setsockopt(int file, int level, int name, const int *value, uint32_t length)',
    ) as SetSocketOption | null;
  }
  if (file === null || setSocketOption === null) return false;
  return setSocketOption(file, solSocket, option, Int32Array.of(value), 4) === 0;
}

const isOnThisMachine = (address: string) => /^(?:::1$|(?:::ffff:)?127\.)/.test(address);

/** Node's internal handle has the file descriptor; -1 or absent without one. */
function fileOf(socket: Socket): number | null {
  const { _handle: handle } = socket as { readonly _handle?: { readonly fd?: number } | null };
  const file = handle?.fd;
  return file === undefined || file < 0 ? null : file;
}

const markBytes = 512 * 1024;
/** Longer than loopback usually takes for that many bytes. */
const patienceMs = 100;

/**
 * Reads large responses in few pieces: wakes for 0.5 MiB while much is outstanding. The end, and a stalled transfer,
 * wake for any byte, because a shorter reply may replace the rest.
 */
export class ReceiveLowWaterMark {
  private bytes = 1;
  private possible = true;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly socket: Socket) {}

  /** After each read: bytes outstanding before the next event of interest. */
  due(bytes: number): void {
    const wanted = bytes < markBytes ? 1 : markBytes;
    if (wanted !== this.bytes) this.set(wanted);
    else if (wanted > 1) this.timer?.refresh();
  }

  close(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.possible = false;
  }

  private set(bytes: number): void {
    this.possible &&= readWithAtLeast(this.socket, bytes);
    if (!this.possible) return;
    this.bytes = bytes;
    if (bytes === 1) return;
    if (this.timer !== null) this.timer.refresh();
    else {
      this.timer = setTimeout(() => {
        if (this.bytes > 1) this.set(1);
      }, patienceMs);
    }
  }
}
