import { type Endpoint, isOpenai, isStreamed } from '../../../contract/load/generation';
import { errorWords } from '../../../triton/http';
import type { Failure } from '../seam/transport';
import { BodyReader } from './body-reader';
import type { ReplyHead } from './reply-head';
import { SseReader } from './sse';
import { doneMark, readTextAnswer } from './text-answers';

/** Upper limit of an error reply that is shown. */
const mostErrorBytes = 4096;

/** What one request came to. */
export interface TextOutcome {
  /** null: it succeeded. */
  readonly fault: Failure | null;
  /** Times of the answers with content. */
  readonly contentUs: readonly number[];
  /** Of the mark of the end, or of the last byte. */
  readonly finalUs: number;
  readonly tokens: number | null;
  /** The whole output; null: not only text. */
  readonly text: string | null;
  readonly keepAlive: boolean;
}

/** Reads the replies of one connection, one after the other. */
export class TextExchange {
  private readonly reader: BodyReader;
  private readonly events: SseReader;
  private head: ReplyHead | null = null;
  private whole: Buffer[] = [];
  private fault: Failure | null = null;
  private contentUs: number[] = [];
  private doneUs = 0;
  private tokens: number | null = null;
  private text: string | null = '';
  private nowUs = 0;

  constructor(
    private readonly endpoint: Endpoint,
    replyLimitBytes: number,
    private readonly onEnd: (outcome: TextOutcome) => void,
  ) {
    this.reader = new BodyReader(
      {
        head: (head) => {
          this.head = head;
        },
        body: (buffer, start, end) => this.body(buffer, start, end),
        end: () => this.end(),
      },
      replyLimitBytes,
    );
    this.events = new SseReader((event, data) => this.event(event, data));
  }

  /** Before each request. */
  begin(): void {
    this.head = null;
    this.whole = [];
    this.fault = null;
    this.contentUs = [];
    this.doneUs = 0;
    this.tokens = null;
    this.text = '';
    this.events.reset();
  }

  /** A part of the reply has arrived. */
  get isBegun(): boolean {
    return this.head !== null;
  }

  /** Throws an Error for an invalid reply; ReplyTooLarge. @param nowUs when the bytes arrived */
  push(buffer: Buffer, length: number, nowUs: number): void {
    this.nowUs = nowUs;
    this.reader.push(buffer, length);
  }

  /** The connection was closed. @returns whether that completes the reply */
  closed(nowUs: number): boolean {
    this.nowUs = nowUs;
    return this.reader.closed();
  }

  private get isEventStream(): boolean {
    return this.head?.status === 200 && this.head.type === 'text/event-stream';
  }

  private body(buffer: Buffer, start: number, end: number): void {
    if (this.isEventStream) this.events.push(buffer, start, end);
    else this.whole.push(Buffer.from(buffer.subarray(start, end)));
  }

  private event(event: string, data: string): void {
    if (data === doneMark) {
      this.doneUs = this.nowUs;
      return;
    }
    if (event === 'error') this.fault ??= { kind: 'error answer', message: errorWords(data) };
    else this.answer(data);
  }

  private answer(data: string): void {
    try {
      const { content, text, tokens, error } = readTextAnswer(this.endpoint, data);
      if (error !== null) this.fault ??= { kind: 'error answer', message: error };
      if (content) {
        this.contentUs.push(this.nowUs);
        this.text = this.text === null || text === null ? null : this.text + text;
      }
      this.tokens = tokens ?? this.tokens;
    } catch (error) {
      this.fault ??= {
        kind: 'bad response',
        message: error instanceof Error ? error.message : String(error),
      };
    }
  }

  private end(): void {
    const { head, contentUs } = this;
    if (head === null) return;
    if (!this.isEventStream) this.plainReply(head);
    this.fault ??= this.unfinished();
    this.onEnd({
      fault: this.fault,
      contentUs,
      finalUs: this.doneUs === 0 ? this.nowUs : this.doneUs,
      // Only now: a reply in one piece has just been read.
      tokens: this.tokens,
      text: this.text,
      keepAlive: head.keepAlive,
    });
  }

  /** A reply in one piece: an error, or the whole output. */
  private plainReply({ status, type }: ReplyHead): void {
    const text = Buffer.concat(this.whole).toString('utf8');
    if (status !== 200) {
      this.fault = { kind: `HTTP ${status}`, message: refusalText(text.slice(0, mostErrorBytes)) };
    } else if (isStreamed(this.endpoint)) {
      const found = type === '' ? 'a reply without a type' : type;
      this.fault = { kind: 'bad response', message: `${found} where a stream of events was asked for` };
    } else this.answer(text);
  }

  private unfinished(): Failure | null {
    if (!this.isEventStream) return null;
    if (this.events.isWithin) return { kind: 'bad response', message: 'the stream ended within an event' };
    return isOpenai(this.endpoint) && this.doneUs === 0
      ? { kind: 'bad response', message: `the stream ended before ${doneMark}` }
      : null;
  }
}

/** OpenAI's error has a message in it, FastAPI's a detail. */
function refusalText(text: string): string {
  try {
    const { error } = readTextAnswer('chat', text);
    return error ?? text;
  } catch {
    return text;
  }
}
