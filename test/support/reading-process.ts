import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { bundleChild } from './child-program';
import type { ReadingEnd } from './children/read-at-limit';
import { repository } from './home';
import type { ReadingJob } from './limits/at-limit';
import { readerBundle } from './reader-bundle';

export type { ReadingEnd };

/** A process that asks the readers as the workbench does; the test's own would hold what it makes of the files. */
export class ReadingProcess {
  private child: ChildProcess | null = null;

  private constructor(
    private readonly file: string,
    private readonly reader: string,
  ) {}

  static async create(outDir: string): Promise<ReadingProcess> {
    return new ReadingProcess(await bundleChild('read-at-limit', outDir), await readerBundle());
  }

  /** null: the process ended. */
  read(job: ReadingJob): Promise<ReadingEnd | null> {
    const child = (this.child ??= fork(this.file, [this.reader, join(repository, 'resources')], {
      serialization: 'advanced',
    }));
    return new Promise((resolve) => {
      const ended = () => {
        this.child = null;
        resolve(null);
      };
      child.once('exit', ended);
      child.once('message', (end: ReadingEnd) => {
        child.off('exit', ended);
        resolve(end);
      });
      child.send(job);
    });
  }

  close(): void {
    this.child?.kill('SIGKILL');
  }
}
