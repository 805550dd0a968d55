import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, ftruncateSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CliRun, startCli } from './cli';
import { createTestHome } from './home';

const run = promisify(execFile);
const pageBytes = 4096;
const filler = '.filler';
const mount = [
  'mount -t tmpfs -o "size=$1" none "$2"',
  // The tools stay where they are, on a disk with room.
  'cp -P "$3"/* "$2"',
  'echo ready',
  'exec sleep 100000',
].join(' && ');

/** A workbench home on a disk of its own, in memory, which nobody sees but who is sent there and which goes with it. */
export class SmallDisk {
  private constructor(
    readonly home: string,
    private readonly holder: ChildProcess,
  ) {}

  /** @param size as mount(8) takes it for tmpfs. */
  static async create(size: string): Promise<SmallDisk> {
    const home = await mkdtemp(join(tmpdir(), 'small-disk-'));
    const tools = await createTestHome();
    const holder = spawn(
      'unshare',
      ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', size, home, tools.path],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    await once(holder.stdout, 'data');
    await tools.remove();
    return new SmallDisk(home, holder);
  }

  /** Where this process sees the home. */
  get seen(): string {
    return join(`/proc/${this.holder.pid ?? 0}/root`, this.home);
  }

  cli(...args: readonly string[]): CliRun {
    return startCli(this.home, args, this.within);
  }

  usedBytes(): number {
    const { blocks, bfree, bsize } = statfsSync(this.seen);
    return (blocks - bfree) * bsize;
  }

  /** Leaves no more than so many pages. */
  fill(pages: number): void {
    const file = openSync(join(this.seen, filler), 'w');
    const zeros = Buffer.alloc(2 ** 20);
    let bytes = 0;
    try {
      for (;;) bytes += writeSync(file, zeros);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
    ftruncateSync(file, Math.max(0, bytes - pages * pageBytes));
    closeSync(file);
  }

  /** Frees what was filled, and makes it a disk of that size. */
  async enlarge(size: string): Promise<void> {
    await run('nsenter', [...this.within.slice(1), 'mount', '-o', `remount,size=${size}`, this.home]);
    rmSync(join(this.seen, filler), { force: true });
  }

  /** A copy of the home as it is. */
  async copyTo(folder: string): Promise<void> {
    await run('cp', ['-a', `${this.seen}/.`, folder]);
  }

  async remove(): Promise<void> {
    this.holder.kill('SIGKILL');
    await rm(this.home, { recursive: true, force: true });
  }

  private get within(): readonly string[] {
    return ['nsenter', '--user', '--mount', '--preserve-credentials', '-t', String(this.holder.pid)];
  }
}
