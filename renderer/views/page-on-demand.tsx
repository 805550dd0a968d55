import { type ComponentType, useEffect, useState } from 'react';
import { toWire, type WireError } from '../../main/contract/errors';
import { ErrorPanel } from '../components/error-panel';
import { Loading } from '../components/loading';

const loads: (() => Promise<unknown>)[] = [];

/**
 * Loaded when it is first shown, or before by `loadPages`. It is then drawn at once, where React's `lazy` would show
 * its fallback for a moment even so.
 */
export function pageOnDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  const loadOnce = async (): Promise<ComponentType<Props>> => (loaded ??= await load());
  loads.push(loadOnce);
  return function PageOnDemand(props: Props) {
    const [Page, setPage] = useState(() => loaded);
    const [error, setError] = useState<WireError | null>(null);
    useEffect(() => {
      if (Page !== null) return;
      loadOnce().then(
        (page) => setPage(() => page),
        (reason: unknown) => setError(toWire(reason)),
      );
    }, [Page]);
    if (error !== null) return <ErrorPanel error={error} />;
    return Page === null ? <Loading label="Loading the page" /> : <Page {...props} />;
  };
}

export async function loadPages(): Promise<void> {
  // A page that cannot be loaded says so where it is shown.
  for (const load of loads) await load().catch(() => undefined);
}
