import { cleanLine } from '../platform/clean-text';
import { LogFile } from '../platform/log-file';

const keptLines = 200;

/** Triton's last complaint, for a message; '' where there is none. */
export function lastComplaint(tail: readonly string[]): string {
  const line = tail.findLast((candidate) => /^E\d{4} /.test(candidate));
  return line === undefined ? '' : `: ${line.replace(/^E\d{4} \S+ +\d+ /, '')}`;
}

/** What a Triton prints: clean, capped as every log is, the last lines at hand. */
export class TritonLog {
  readonly tail: string[] = [];

  /** @param file null: a log that cannot be written must not end the server; its lines are told all the same. */
  constructor(
    private readonly file: LogFile | null,
    private readonly emit: (lines: readonly string[]) => void,
  ) {}

  /** Begun anew: a container's engine gives its whole log again to whoever takes it up. */
  static async open(path: string, emit: (lines: readonly string[]) => void): Promise<TritonLog> {
    return new TritonLog(await LogFile.open(path, { truncate: true }).catch(() => null), emit);
  }

  add(lines: readonly string[]): void {
    const clean = this.file?.add(lines) ?? lines.map(cleanLine);
    this.tail.push(...clean.slice(-keptLines));
    if (this.tail.length > keptLines) this.tail.splice(0, this.tail.length - keptLines);
    this.emit(clean);
  }

  async close(): Promise<void> {
    await this.file?.close();
  }
}
