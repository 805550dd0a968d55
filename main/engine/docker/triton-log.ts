import { LogFile } from '../../platform/log-file';
import { cleanLine } from '../../platform/clean-text';

const keptLines = 200;

/** What Triton prints in its container: clean, capped as every log is, the last lines at hand. */
export class TritonLog {
  readonly tail: string[] = [];

  private constructor(
    private readonly file: LogFile | null,
    private readonly tell: (lines: readonly string[]) => void,
  ) {}

  /** A log that cannot be written must not end the server: its lines are told all the same. */
  static async open(path: string, tell: (lines: readonly string[]) => void): Promise<TritonLog> {
    return new TritonLog(await LogFile.open(path, { truncate: true }).catch(() => null), tell);
  }

  add(line: string): void {
    const clean = this.file?.add([line]) ?? [cleanLine(line)];
    this.tail.push(...clean);
    if (this.tail.length > keptLines) this.tail.shift();
    this.tell(clean);
  }

  async close(): Promise<void> {
    await this.file?.close();
  }
}
