import { Skeleton } from '@mantine/core';
import { useDelayed } from './use-time';

/** Stands where something is on its way. */
export function Loading({ label }: { label: string }) {
  const shown = useDelayed(true);
  return (
    <div role="status" className="stack">
      <span className="visually-hidden">{label}</span>
      {shown ? [72, 40, 56].map((width) => <Skeleton key={width} height={18} width={`${width}%`} />) : null}
    </div>
  );
}
