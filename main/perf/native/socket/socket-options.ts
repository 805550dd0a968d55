import { createRequire } from 'node:module';
import type { Socket } from 'node:net';
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
function cFunction(declaration: string): ReturnType<Koffi.LibraryHandle['func']> | null {
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

/** Linux's numbers for the options, and for what they belong to. */
const solSocket = 1;
const soSndbuf = 7;
const soRcvlowat = 18;
/** The kernel takes twice as much, half of it for its own records. */
const sendBufferBytes = 512 * 1024;
/** Smaller ones mostly fit into it: nothing was gained with them. */
const leastRequestBytes = 2 ** 20;

type SetSocketOption = (
  file: number,
  level: number,
  name: number,
  value: Int32Array,
  length: number,
) => number;

/** undefined: not looked for yet. */
let setSocketOption: SetSocketOption | null | undefined;

/**
 * Lets the kernel hold no more than half a MiB of what goes out to this machine itself, where requests are of 1 MiB and more. It
 * would take 4 MB at once: more than stays in a processor's cache until the receiver copies it. To other machines it needs what the
 * line holds, and finds that out itself.
 * @returns whether it was set.
 */
export function limitSendBuffer(socket: Socket, requestBytes: number): boolean {
  return requestBytes >= leastRequestBytes && setLocally(socket, soSndbuf, sendBufferBytes);
}

/**
 * Lets the kernel wake who reads from this machine itself when so many bytes are there, or the peer has closed; 1: with any.
 * Fewer than that are not seen, for as long as it takes.
 * @returns whether it was set.
 */
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

/** Node's own object of the socket knows its file descriptor; it says -1 or nothing where it has none. */
function fileOf(socket: Socket): number | null {
  const { _handle: handle } = socket as { readonly _handle?: { readonly fd?: number } | null };
  const file = handle?.fd;
  return file === undefined || file < 0 ? null : file;
}

/** One read of ours. */
const markBytes = 512 * 1024;
/** Longer than this machine mostly takes for so many bytes, and short for those who wait. */
const patienceMs = 100;

/**
 * Has a large answer read in few pieces: while much of it is still to come the kernel wakes the reader for half a MiB at a time.
 * Its end is read at once, and where nothing has come for a moment, so is every byte: what is sent instead of the rest is short.
 */
export class ReceiveLowWaterMark {
  private bytes = 1;
  private possible = true;
  private timer: NodeJS.Timeout | null = null;

  constructor(private readonly socket: Socket) {}

  /** After each read: so many bytes come before anything that is waited for. */
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
