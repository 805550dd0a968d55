import type { WindowEvent } from '../main/contract/api';

/** Milliseconds that events wait for others, so that a chatty step is not one message a line. */
const waitMs = 40;

/** Joins a log event with the one before it when both belong to one step or container. */
function joined(events: WindowEvent[], event: WindowEvent): void {
  const last = events.at(-1);
  if (
    event.type === 'log' &&
    last?.type === 'log' &&
    last.runId === event.runId &&
    last.step === event.step
  ) {
    events[events.length - 1] = { ...last, lines: [...last.lines, ...event.lines] };
  } else if (event.type === 'container-log' && last?.type === 'container-log' && last.id === event.id) {
    events[events.length - 1] = { ...last, lines: [...last.lines, ...event.lines] };
  } else {
    events.push(event);
  }
}

/** Collects events and hands them on together, in their order. */
export function createEventBatch(send: (events: readonly WindowEvent[]) => void): {
  readonly add: (event: WindowEvent) => void;
  readonly dispose: () => void;
} {
  let waiting: WindowEvent[] = [];
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    const events = waiting;
    waiting = [];
    timer = undefined;
    send(events);
  };
  return {
    add(event) {
      joined(waiting, event);
      timer ??= setTimeout(flush, waitMs);
    },
    dispose() {
      clearTimeout(timer);
      waiting = [];
    },
  };
}
