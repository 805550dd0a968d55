/** A line longer than this cannot be the event of a token. */
const mostLineBytes = 16 * 2 ** 20;
const newline = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits server-sent events (WHATWG HTML, 9.2) whose bytes arrive in any pieces. Lines end with LF or CR LF; comments
 * and fields other than `event` and `data` are skipped.
 */
export class SseReader {
  private kept: Buffer[] = [];
  private keptBytes = 0;
  private event = '';
  private data: string[] = [];

  /** @param onEvent called once per event that has data; `event` is '' without a name */
  constructor(private readonly onEvent: (event: string, data: string) => void) {}

  /** Something has arrived of an event that is not complete. */
  get isWithin(): boolean {
    return this.keptBytes > 0 || this.data.length > 0 || this.event !== '';
  }

  reset(): void {
    this.kept = [];
    this.keptBytes = 0;
    this.event = '';
    this.data = [];
  }

  /** The buffer may be reused after the call. Throws an Error for a line without end. */
  push(buffer: Buffer, start: number, end: number): void {
    const received = buffer.subarray(start, end);
    let at = 0;
    for (let found = received.indexOf(newline); found >= 0; found = received.indexOf(newline, at)) {
      this.line(this.taken(received.subarray(at, found)));
      at = found + 1;
    }
    if (at === received.length) return;
    this.keptBytes += received.length - at;
    if (this.keptBytes > mostLineBytes) throw new Error('a line of more than 16 MiB in the event stream');
    this.kept.push(Buffer.from(received.subarray(at)));
  }

  /** Kept bytes and these as text; decoded as a whole, because a character may be cut. */
  private taken(last: Buffer): string {
    const whole = this.keptBytes === 0 ? last : Buffer.concat([...this.kept, last]);
    this.kept = [];
    this.keptBytes = 0;
    const length = whole[whole.length - 1] === carriageReturn ? whole.length - 1 : whole.length;
    return whole.toString('utf8', 0, length);
  }

  private line(line: string): void {
    if (line === '') {
      const { event, data } = this;
      this.event = '';
      this.data = [];
      if (data.length > 0) this.onEvent(event, data.join('\n'));
      return;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.data.push(value);
    else if (field === 'event') this.event = value;
  }
}
