import type { CallInput, CallName, CallOutput, WindowEvent, WireAnswer } from '../main/contract/api';
import { fromWireText } from '../main/contract/calls/wire-text';
import { fromWire } from '../main/contract/errors';

export interface Bridge {
  call(name: string, input: unknown): Promise<WireAnswer>;
  /** `events`: the JSON of a list of WindowEvent. */
  on(listener: (events: string) => void): () => void;
  /** Path of a dropped file or folder; '' for one that is not on disk. */
  pathOf(file: File): string;
}

declare global {
  interface Window {
    readonly workbench: Bridge;
  }
}

type Arguments<Name extends CallName> =
  CallInput<Name> extends undefined ? readonly [] : readonly [input: CallInput<Name>];

export interface Client {
  /** Rejects with a WorkbenchError. */
  call<Name extends CallName>(name: Name, ...input: Arguments<Name>): Promise<CallOutput<Name>>;
  on(listener: (events: readonly WindowEvent[]) => void): () => void;
  pathOf(file: File): string;
}

export function createClient(bridge: Bridge): Client {
  return {
    async call<Name extends CallName>(name: Name, ...input: Arguments<Name>): Promise<CallOutput<Name>> {
      const answer = await bridge.call(name, input[0]);
      if (!answer.ok) throw fromWire(answer.error);
      // The contract types the handler of this very name; the value comes from the trusted side.
      return ('text' in answer ? fromWireText(answer.text) : answer.value) as CallOutput<Name>;
    },
    on: (listener) =>
      bridge.on((events) => {
        // The contract types what the trusted side says.
        listener(JSON.parse(events) as readonly WindowEvent[]);
      }),
    pathOf: (file) => bridge.pathOf(file),
  };
}
