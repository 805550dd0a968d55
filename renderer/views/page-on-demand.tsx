import { type ComponentType, createElement, useEffect, useState } from 'react';
import { toWire, type WireError } from '../../main/contract/errors';
import { ErrorPanel } from '../components/error-panel';
import { Loading } from '../components/loading';
import { type PageType, PageTypeContext } from '../components/page-type';

const loads: (() => Promise<unknown>)[] = [];

export type TypedPage<Props> = ComponentType<Props> & { readonly type: PageType };

/** The page with its type, which the frame within it takes. */
export function pageOf<Props extends object>(type: PageType, View: ComponentType<Props>): TypedPage<Props> {
  const Typed = (props: Props) => (
    <PageTypeContext value={type}>{createElement(View, props)}</PageTypeContext>
  );
  return Object.assign(Typed, { type });
}

/** A page whose script is loaded on demand. */
export const pageOnDemand = <Props extends object>(
  type: PageType,
  load: () => Promise<ComponentType<Props>>,
): TypedPage<Props> => pageOf(type, onDemand(load));

/**
 * Loaded when it is first shown, or before by `loadPages`. It is then drawn at once, where React's `lazy` would show
 * its fallback for a moment even so.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  const loadOnce = async (): Promise<ComponentType<Props>> => (loaded ??= await load());
  loads.push(loadOnce);
  return function OnDemand(props: Props) {
    const [Part, setPart] = useState(() => loaded);
    const [error, setError] = useState<WireError | null>(null);
    useEffect(() => {
      if (Part !== null) return;
      loadOnce().then(
        (part) => setPart(() => part),
        (reason: unknown) => setError(toWire(reason)),
      );
    }, [Part]);
    if (error !== null) return <ErrorPanel error={error} />;
    return Part === null ? <Loading label="Loading the page" /> : <Part {...props} />;
  };
}

export async function loadPages(): Promise<void> {
  // A page that cannot be loaded says so where it is shown.
  for (const load of loads) await load().catch(() => undefined);
}
