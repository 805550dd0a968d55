import type { StoreApi } from 'zustand/vanilla';
import { createStore } from 'zustand/vanilla';
import type { WindowEvent } from '../../../main/contract/api';
import type { ContainerInfo } from '../../../main/contract/docker';
import type { WireError } from '../../../main/contract/errors';
import { toWire } from '../../../main/contract/errors';
import type { Client } from '../../client';
import { containerTitle } from '../../format/container-title';
import { toolkitLine } from '../../format/toolkit-line';

/** Lines kept of one container; Docker has them all. */
export const maxContainerLines = 100_000;
const tailLines = 5000;

type LoggedContainer = Pick<ContainerInfo, 'id' | 'name' | 'state' | 'role' | 'step'>;

export interface ContainerLog {
  /** The container whose log is followed; null while none is. */
  readonly id: string | null;
  readonly name: string;
  /** What the container does; kept once Docker has removed it. */
  readonly title: string;
  /** Changes in place, so that a line more does not copy 100,000; `version` tells that it has. */
  readonly lines: string[];
  readonly version: number;
  readonly paused: boolean;
  /** Lines that have come while paused. */
  readonly heldCount: number;
  readonly error: WireError | null;
  readonly search: string;
  /** Indices of the lines that contain the search, any case. */
  readonly found: number[];
  /** Position in `found` that was jumped to; null before the first jump. */
  readonly current: number | null;
  readonly open: (container: LoggedContainer) => void;
  readonly close: () => void;
  readonly pause: () => void;
  readonly resume: () => void;
  readonly setSearch: (search: string) => void;
  /** To the next (1) or the previous (-1) hit, around the end. */
  readonly jump: (by: 1 | -1) => void;
  readonly hear: (event: WindowEvent) => void;
}

function addFound(found: number[], lines: readonly string[], from: number, search: string): void {
  if (search === '') return;
  const wanted = search.toLowerCase();
  for (let index = from; index < lines.length; index += 1) {
    if (lines[index]?.toLowerCase().includes(wanted) === true) found.push(index);
  }
}

/** The live log of one container. Paused, it holds what comes, so that nothing moves under the reader's eye. */
export function createContainerLog(client: Client): StoreApi<ContainerLog> {
  return createStore<ContainerLog>()((set, get) => {
    let held: string[] = [];
    let opening = 0;
    /** Of the followed container, as last told; a log ends with its process and begins anew with the next. */
    let wasRunning = false;
    // One call after the other: the end of following must not overtake the beginning of the next.
    let calls: Promise<void> = Promise.resolve();

    const changed = (change: Partial<ContainerLog>): void => {
      set({ ...change, version: get().version + 1 });
    };
    const add = (added: readonly string[]): void => {
      const { lines, found, search, current } = get();
      const from = lines.length;
      for (const line of added) lines.push(toolkitLine(line));
      addFound(found, lines, from, search);
      const over = lines.length - maxContainerLines;
      if (over <= 0) {
        changed({});
        return;
      }
      lines.splice(0, over);
      const kept = found.filter((index) => index >= over).map((index) => index - over);
      const gone = found.length - kept.length;
      changed({ found: kept, current: current === null || current < gone ? null : current - gone });
    };
    const unfollow = (id: string): void => {
      calls = calls.then(async () => {
        await client.call('docker.unfollowLog', { id }).catch(() => undefined);
      });
    };
    // New lists every time: they change in place.
    const empty = () => ({ lines: [], found: [], current: null, heldCount: 0, paused: false, error: null });

    const follow = (container: LoggedContainer): void => {
      const { id, name, state } = container;
      opening += 1;
      const own = opening;
      held = [];
      wasRunning = state === 'running';
      changed({ ...empty(), id, name, title: containerTitle(container) });
      calls = calls.then(async () => {
        if (own !== opening) return;
        try {
          await client.call('docker.followLog', { id, tail: tailLines });
        } catch (error) {
          if (own === opening) set({ error: toWire(error) });
        }
      });
    };

    const hearState = (containers: readonly ContainerInfo[]): void => {
      const { id } = get();
      const container = containers.find((one) => one.id === id);
      if (container === undefined) return;
      const running = container.state === 'running';
      if (running && !wasRunning) {
        unfollow(container.id);
        follow(container);
      }
      wasRunning = running;
    };

    return {
      ...empty(),
      id: null,
      name: '',
      title: '',
      version: 0,
      search: '',
      open(container) {
        const { id } = container;
        const before = get().id;
        if (before === id && get().error === null) return;
        if (before !== null) unfollow(before);
        follow(container);
      },
      close() {
        const { id } = get();
        opening += 1;
        held = [];
        changed({ ...empty(), id: null, name: '', title: '' });
        if (id !== null) unfollow(id);
      },
      pause() {
        set({ paused: true });
      },
      resume() {
        const waiting = held;
        held = [];
        set({ paused: false, heldCount: 0 });
        add(waiting);
      },
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
      hear(event) {
        if (event.type === 'docker-changed') hearState(event.state.containers);
        if (event.type !== 'container-log' || event.id !== get().id) return;
        if (!get().paused) {
          add(event.lines);
          return;
        }
        for (const line of event.lines) held.push(line);
        if (held.length > maxContainerLines) held.splice(0, held.length - maxContainerLines);
        set({ heldCount: held.length });
      },
    };
  });
}
