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

/** How far something is; @param fraction null where that is not known. */
export const ProgressBar = ({ label, fraction }: { label: string; fraction: number | null }) => (
  <progress className="bar" max={1} aria-label={label} {...(fraction === null ? {} : { value: fraction })} />
);
