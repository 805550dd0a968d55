import type { ComponentProps } from 'react';
import type { Route } from '../stores/route';
import { useWorkbench } from '../workbench';

/** A handler that leads to a page: `onClick={wayTo({ page: 'runs' })}`. */
export function useWayTo(): (route: Route) => () => void {
  const { route } = useWorkbench();
  return (to) => () => route.getState().go(to);
}

export function LinkButton({ className = '', ...rest }: ComponentProps<'button'>) {
  return <button type="button" className={`plain-button link ${className}`.trimEnd()} {...rest} />;
}

export function PageLink({ to, ...rest }: Omit<ComponentProps<'button'>, 'onClick'> & { to: Route }) {
  const wayTo = useWayTo();
  return <LinkButton onClick={wayTo(to)} {...rest} />;
}
