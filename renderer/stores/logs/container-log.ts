import { createStore, type StoreApi } from 'zustand/vanilla';
import type { WindowEvent } from '../../../main/contract/api';
import type { ContainerInfo } from '../../../main/contract/docker';
import { toWire, type WireError } from '../../../main/contract/errors';
import type { Client } from '../../client';
import { containerTitle } from '../../format/container-title';
import { toolkitLine } from '../../format/toolkit-line';

export const maxContainerLines = 100_000;
const tailLines = 5000;

type LoggedContainer = Pick<ContainerInfo, 'id' | 'name' | 'state' | 'role' | 'step'>;

export interface ContainerLog {
  readonly id: string | null;
  readonly name: string;
  /** Kept once Docker has removed the container. */
  readonly title: string;
  /** Mutated in place, as copying 100,000 lines per line is slow; `version` changes with it. */
  readonly lines: string[];
  readonly version: number;
  readonly paused: boolean;
  readonly heldCount: number;
  readonly error: WireError | null;
  readonly search: string;
  readonly found: number[];
  /** Index in `found` of the current match; null before the first jump. */
  readonly current: number | null;
  readonly open: (container: LoggedContainer) => void;
  readonly close: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly setSearch: (search: string) => void;
  /** 1: next match, -1: previous; wraps around. */
  readonly jump: (by: 1 | -1) => void;
  readonly onEvent: (event: WindowEvent) => void;
}

function addFound(found: number[], lines: readonly string[], from: number, search: string): void {
  if (search === '') return;
  const wanted = search.toLowerCase();
  for (let index = from; index < lines.length; index += 1) {
    if (lines[index]?.toLowerCase().includes(wanted) === true) found.push(index);
  }
}

function addLines(
  { lines, found, search, current }: ContainerLog,
  added: readonly string[],
): Partial<ContainerLog> {
  const from = lines.length;
  for (const line of added) lines.push(toolkitLine(line));
  addFound(found, lines, from, search);
  const over = lines.length - maxContainerLines;
  if (over <= 0) return {};
  lines.splice(0, over);
  const kept = found.filter((index) => index >= over).map((index) => index - over);
  const gone = found.length - kept.length;
  return { found: kept, current: current === null || current < gone ? null : current - gone };
}

/** One call after the other: the end of following must not overtake the beginning of the next. */
function createFollower(client: Client, onError: (error: WireError) => void) {
  let newest = 0;
  let calls: Promise<void> = Promise.resolve();
  return {
    follow(id: string): void {
      newest += 1;
      const own = newest;
      calls = calls.then(async () => {
        if (own !== newest) return;
        await client.call('docker.followLog', { id, tail: tailLines }).catch((error: unknown) => {
          if (own === newest) onError(toWire(error));
        });
      });
    },
    unfollow(id: string): void {
      newest += 1;
      calls = calls.then(async () => {
        await client.call('docker.unfollowLog', { id }).catch(() => undefined);
      });
    },
  };
}

const searchSlice = (
  set: (part: Partial<ContainerLog>) => void,
  get: () => ContainerLog,
): Pick<ContainerLog, 'search' | 'setSearch' | 'jump'> => ({
  search: '',
  setSearch(search) {
    const found: number[] = [];
    addFound(found, get().lines, 0, search);
    set({ search, found, current: null });
  },
  jump(by) {
    const { found, current } = get();
    if (found.length === 0) return;
    const next = current === null ? (by === 1 ? 0 : -1) : current + by;
    // The line that was jumped to stays in view.
    set({ current: (next + found.length) % found.length, paused: true });
  },
});

// New lists every time: they change in place.
const empty = () => ({
  id: null,
  name: '',
  title: '',
  lines: [],
  found: [],
  current: null,
  heldCount: 0,
  paused: false,
  error: null,
});

export function createContainerLog(client: Client): StoreApi<ContainerLog> {
  return createStore<ContainerLog>()((set, get) => {
    let held: string[] = [];
    /** Whether the followed container ran at the last event: a log ends with its process. */
    let wasRunning = false;
    const follower = createFollower(client, (error) => set({ error }));
    const changed = (change: Partial<ContainerLog>): void => set({ ...change, version: get().version + 1 });
    const follow = (container: LoggedContainer): void => {
      const { id, name, state } = container;
      held = [];
      wasRunning = state === 'running';
      changed({ ...empty(), id, name, title: containerTitle(container) });
      follower.follow(id);
    };
    const onContainers = (containers: readonly ContainerInfo[]): void => {
      const { id } = get();
      const container = containers.find((one) => one.id === id);
      if (container === undefined) return;
      const running = container.state === 'running';
      if (running && !wasRunning) {
        follower.unfollow(container.id);
        follow(container);
      }
      wasRunning = running;
    };
    return {
      ...empty(),
      version: 0,
      ...searchSlice(set, get),
      open(container) {
        const { id, error } = get();
        if (id === container.id && error === null) return;
        if (id !== null) follower.unfollow(id);
        follow(container);
      },
      close() {
        const { id } = get();
        held = [];
        changed(empty());
        if (id !== null) follower.unfollow(id);
      },
      pause() {
        set({ paused: true });
      },
      resume() {
        const waiting = held;
        held = [];
        set({ paused: false, heldCount: 0 });
        changed(addLines(get(), waiting));
      },
      onEvent(event) {
        if (event.type === 'docker-changed') onContainers(event.state.containers);
        if (event.type !== 'container-log' || event.id !== get().id) return;
        if (!get().paused) {
          changed(addLines(get(), event.lines));
          return;
        }
        for (const line of event.lines) held.push(line);
        if (held.length > maxContainerLines) held.splice(0, held.length - maxContainerLines);
        set({ heldCount: held.length });
      },
    };
  });
}
