import { useEffect, useEffectEvent, useState } from 'react';
import { toWire, type WireError } from '../main/contract/errors';
import type { Client } from './client';
import { useWorkbench } from './workbench';

interface Answer<Value> {
  readonly value: Value | null;
  readonly error: WireError | null;
}

/** The answer or the error; both null until one comes. Asked again for another key. */
export function useAnswer<Value>(ask: (client: Client) => Promise<Value>, key = ''): Answer<Value> {
  const { client } = useWorkbench();
  const [answer, setAnswer] = useState<Answer<Value>>({ value: null, error: null });
  const answered = useEffectEvent(() => ask(client));
  useEffect(() => {
    const state = { gone: false };
    answered().then(
      (value) => {
        if (!state.gone) setAnswer({ value, error: null });
      },
      (error: unknown) => {
        if (!state.gone) setAnswer({ value: null, error: toWire(error) });
      },
    );
    return () => {
      state.gone = true;
    };
  }, [key]);
  return answer;
}
