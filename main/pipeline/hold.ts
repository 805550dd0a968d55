import { readdir, rm, stat, statfs } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { type ErrorCode, toWire, type WireError, WorkbenchError } from '../contract/errors';
import { formatBytes } from '../contract/numbers';
import type { RunWait } from '../contract/run/run-events';
import type { RunState } from '../contract/run/run-state';
import type { EngineWatch } from '../engine/engine';
import { exists, listFiles } from '../platform/files';

/** A temporary obstacle: a full disk or an unavailable engine. */
export interface Hold {
  readonly wait: RunWait;
  readonly error: WireError;
  readonly everyMs: number;
  /** Time limit, after which the run fails; absent: none. */
  readonly limitMs?: number | undefined;
  isOver(): Promise<boolean>;
}

/** Ends an attempt without an outcome; it continues when the obstacle is gone. */
export class HoldError extends WorkbenchError {
  constructor(
    readonly hold: Hold,
    cause: unknown,
  ) {
    const { code, message, where, remedy, details } = hold.error;
    super(code, message, { where, remedy, details, cause });
  }
}

/** Lets the user retry at once. */
export class ContinueNow {
  private asked: (() => void) | null = null;

  /** False if nothing waits. */
  ask(): boolean {
    this.asked?.();
    return this.asked !== null;
  }

  listen(take: () => void): () => void {
    this.asked = take;
    return () => {
      this.asked = null;
    };
  }
}

const everyMs = 2000;
/** If the engine responds and the run still fails, the engine is not the cause. */
const mostTries = 3;

/** Errors that an unavailable engine causes. */
const ofEngine: ReadonlySet<ErrorCode> = new Set([
  'docker-unreachable',
  'docker-failed',
  'container-failed',
  'server-start-failed',
  'server-gone',
  'server-unreachable',
  'model-not-ready',
  'model-load-failed',
  'inference-failed',
  'toolkit-failed',
  'load-tool-failed',
  'measurement-failed',
]);

/** Grows with everything that is not repeated. */
const progressOf = ({ steps, scenarios }: RunState): number =>
  steps.filter(({ status }) => status === 'done' || status === 'skipped').length +
  scenarios.offline.points.length +
  scenarios.online.points.length;

/** Interruptions of the engine during an attempt. */
export class EngineHolds {
  private tries = 0;
  private progress = -1;

  constructor(
    private readonly watch: EngineWatch,
    private readonly state: () => RunState,
  ) {}

  /** null if the engine was available. @param left whether work was abandoned because the engine was away too long */
  async of(error: unknown, left: boolean): Promise<Hold | null> {
    const wire = toWire(error);
    if (!left && !ofEngine.has(wire.code)) return null;
    if (!left && !(await this.watch.wasAway())) return null;
    const progress = progressOf(this.state());
    this.tries = progress > this.progress ? 1 : this.tries + 1;
    this.progress = progress;
    if (this.tries > mostTries && (await this.watch.answers())) return null;
    return {
      wait: { reason: 'engine', what: this.watch.name },
      error: {
        code: 'docker-unreachable',
        message: `${this.watch.name} did not answer`,
        details: [`${wire.code}: ${wire.message}`, wire.details ?? ''].join('\n').trim(),
      },
      everyMs,
      limitMs: this.watch.waitMs,
      isOver: () => this.watch.answers(),
    };
  }
}

/** Free space of a file system. */
interface DiskRoom {
  /** A folder on it. */
  readonly folder: string;
  readonly freeBytes: number;
  /** null without a fixed number of files. */
  readonly freeFiles: number | null;
}

/** Below this a disk counts as full: writers fail before the last byte. */
const nearlyNothing = { bytes: 2 ** 20, files: 8 };

const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

/** Free space for this user at `path`, existing or not; null if unknown. */
async function roomAt(path: string): Promise<DiskRoom | null> {
  for (let folder = path; ; folder = dirname(folder)) {
    try {
      const { bavail, bsize, files, ffree } = await statfs(folder);
      return { folder, freeBytes: bavail * bsize, freeFiles: files === 0 ? null : ffree };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || folder === dirname(folder)) return null;
    }
  }
}

/** Whether a recent write may have failed for lack of space. */
function isFull({ freeBytes, freeFiles }: DiskRoom): boolean {
  return freeBytes < nearlyNothing.bytes || (freeFiles !== null && freeFiles < nearlyNothing.files);
}

/** ENOSPC, EDQUOT or similar among the causes of `error`, or null. */
function fullDiskCause(error: unknown): NodeJS.ErrnoException | null {
  const seen = new Set<unknown>();
  for (let cause = error; cause instanceof Error && !seen.has(cause); cause = cause.cause) {
    seen.add(cause);
    if (fullCodes.has((cause as NodeJS.ErrnoException).code)) return cause;
  }
  return null;
}

const pollEveryMs = 10_000;
/** Required additional space, doubled after each failure. */
const firstMarginBytes = 64 * 2 ** 20;
const largestMarginBytes = 2 ** 30;
const marginFiles = 64;

/** Errors unrelated to disks. */
const others: ReadonlySet<ErrorCode> = new Set(['cancelled', 'accuracy-below-threshold', 'not-trusted']);

async function bytesIn(folder: string): Promise<number> {
  if (!(await exists(folder))) return 0;
  let bytes = 0;
  for (const path of await listFiles(folder)) {
    bytes += await stat(join(folder, path)).then(
      ({ size }) => size,
      () => 0,
    );
  }
  return bytes;
}

/** Frees the space of a partial step; its log stays. */
export async function clearUnfinished(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (name !== 'step.log') await rm(join(folder, name), { recursive: true, force: true });
  }
}

export class DiskHolds {
  private marginBytes = firstMarginBytes;

  /** @param folders where a run writes, its own first; their file systems are checked after any failure */
  constructor(
    private readonly folders: readonly string[],
    private readonly room: typeof roomAt = roomAt,
  ) {}

  /** null if no disk is full. Call before removing files. @param unfinished step folder that will be cleared */
  async of(error: unknown, unfinished: string | null): Promise<Hold | null> {
    const wire = toWire(error);
    if (others.has(wire.code)) return null;
    const cause = fullDiskCause(error);
    const rooms = await Promise.all(this.folders.map((folder) => this.room(folder)));
    const full = rooms.find((room) => room !== null && isFull(room)) ?? null;
    if (full === null && cause === null && wire.code !== 'disk-full') return null;
    const room = full ?? (await this.placeOf(cause, wire.where));
    if (room === null) return null;
    const own = unfinished === null ? 0 : await bytesIn(unfinished);
    const neededBytes = room.freeBytes + own + this.marginBytes;
    this.marginBytes = Math.min(2 * this.marginBytes, largestMarginBytes);
    return hold(room, neededBytes, wire, this.room);
  }

  private async placeOf(cause: NodeJS.ErrnoException | null, where = ''): Promise<DiskRoom | null> {
    const { dest, path } = (cause ?? {}) as { readonly dest?: string; readonly path?: string };
    const named = [dest, path, where].find((one) => one !== undefined && isAbsolute(one));
    return this.room(named ?? this.folders[0] ?? '/');
  }
}

function hold(room: DiskRoom, neededBytes: number, wire: WireError, readRoom: typeof roomAt): Hold {
  const { folder, freeBytes, freeFiles } = room;
  const lacksFiles = freeFiles !== null && freeFiles < marginFiles;
  const neededFiles = lacksFiles ? freeFiles + marginFiles : 0;
  const figures = lacksFiles
    ? `room for at least ${neededFiles} more files is needed, and there is room for ${freeFiles}`
    : `at least ${formatBytes(neededBytes)} must be free, but only ${formatBytes(freeBytes)} are`;
  const evidence = wire.code === 'disk-full' ? [] : [`${wire.code}: ${wire.message}`];
  const details = [...evidence, ...(wire.details === undefined ? [] : [wire.details])].join('\n');
  return {
    wait: { reason: 'disk', what: `space on ${folder}: ${figures}` },
    error: {
      code: 'disk-full',
      message: `The disk of ${folder} is full: ${figures}`,
      where: folder,
      ...(details === '' ? {} : { details }),
    },
    everyMs: pollEveryMs,
    isOver: async () => {
      const now = await readRoom(folder);
      if (now === null) return false;
      const fits = now.freeFiles === null || now.freeFiles >= neededFiles;
      return fits && (lacksFiles || now.freeBytes >= neededBytes);
    },
  };
}
