import type { CallName, WindowEvent } from '../../../main/contract/api';
import { toWire } from '../../../main/contract/errors';
import { type Client, createClient } from '../../../renderer/client';

type Answers = Partial<Record<CallName, (input: unknown) => unknown>>;

/** The core's side of the bridge in memory: answers by call name, and `emit` for events. */
export function createClientDouble(answers: Answers): {
  readonly client: Client;
  readonly calls: [string, unknown][];
  readonly emit: (...events: WindowEvent[]) => void;
} {
  const listeners = new Set<(events: string) => void>();
  const calls: [string, unknown][] = [];
  const client = createClient({
    call: async (name, input) => {
      calls.push([name, input]);
      try {
        const answer = answers[name as CallName];
        if (answer === undefined) throw new Error(`The test gives no answer to ${name}`);
        return { ok: true, value: await answer(input) };
      } catch (error) {
        return { ok: false, error: toWire(error) };
      }
    },
    on: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    pathOf: (file) => `/dropped/${file.name}`,
  });
  return {
    client,
    calls,
    emit: (...events) => {
      for (const listener of listeners) listener(JSON.stringify(events));
    },
  };
}

/** A Storage in memory, as the window's localStorage behaves. */
export function createStorage(content: Record<string, string> = {}): Storage {
  const map = new Map(Object.entries(content));
  return {
    get length() {
      return map.size;
    },
    clear: () => {
      map.clear();
    },
    getItem: (key) => map.get(key) ?? null,
    key: (index) => [...map.keys()][index] ?? null,
    removeItem: (key) => {
      map.delete(key);
    },
    setItem: (key, value) => {
      map.set(key, value);
    },
  };
}
