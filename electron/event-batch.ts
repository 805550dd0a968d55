import type { WindowEvent } from '../main/contract/api';
import { formatCount } from '../main/contract/numbers';

type LogEvent = Extract<WindowEvent, { readonly type: 'log' | 'container-log' }>;

/** Milliseconds that events wait for others, so that a chatty step is not one message a line. */
const waitMs = 40;
/** Limits per step or container and message; the log has the dropped lines. */
const maxLines = 2000;
const maxCharacters = 1024 * 1024;

/** Collected in place: a copy per line would be quadratic. */
interface WaitingLines {
  readonly event: LogEvent;
  lines: string[];
  characters: number;
  leftOut: number;
}

const keyOf = (event: LogEvent): string =>
  event.type === 'log' ? `${event.runId} ${event.step}` : `container ${event.id}`;

function cut(waiting: WaitingLines): void {
  let first = Math.max(0, waiting.lines.length - maxLines);
  let characters = 0;
  for (const line of waiting.lines.slice(first)) characters += line.length;
  // The last line stays, however long.
  while (characters > maxCharacters && first < waiting.lines.length - 1) {
    characters -= waiting.lines[first]?.length ?? 0;
    first += 1;
  }
  waiting.lines = waiting.lines.slice(first);
  waiting.characters = characters;
  waiting.leftOut += first;
}

function addTo(waiting: WaitingLines, lines: readonly string[]): void {
  for (const line of lines) {
    waiting.lines.push(line);
    waiting.characters += line.length;
    if (waiting.lines.length >= 2 * maxLines || waiting.characters >= 2 * maxCharacters) cut(waiting);
  }
}

function eventOf(waiting: WaitingLines): WindowEvent {
  cut(waiting);
  const { event, lines, leftOut } = waiting;
  const count = formatCount(leftOut);
  const note = leftOut === 0 ? [] : [`… ${count} lines are not shown: too many came at once`];
  return { ...event, lines: [...note, ...lines] };
}

/** Collects events and hands them on together, in their order; of a flood of lines the last, with a count. */
export function createEventBatch(send: (events: readonly WindowEvent[]) => void): {
  readonly add: (event: WindowEvent) => void;
  readonly flush: () => void;
  readonly dispose: () => void;
} {
  let waiting: (WindowEvent | WaitingLines)[] = [];
  /** Lines since the last event of another kind: lines of two steps need no order between them. */
  let open = new Map<string, WaitingLines>();
  let timer: NodeJS.Timeout | undefined;
  const clear = () => {
    waiting = [];
    open = new Map();
  };
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0) return;
    const events = waiting.map((one) => ('event' in one ? eventOf(one) : one));
    clear();
    send(events);
  };
  const addLog = (event: LogEvent) => {
    let lines = open.get(keyOf(event));
    if (lines === undefined) {
      lines = { event, lines: [], characters: 0, leftOut: 0 };
      open.set(keyOf(event), lines);
      waiting.push(lines);
    }
    addTo(lines, event.lines);
  };
  return {
    add(event) {
      if (event.type === 'log' || event.type === 'container-log') {
        addLog(event);
      } else {
        open = new Map();
        waiting.push(event);
      }
      timer ??= setTimeout(flush, waitMs);
    },
    flush,
    dispose() {
      clearTimeout(timer);
      clear();
    },
  };
}
