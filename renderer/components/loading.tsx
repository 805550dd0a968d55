import { Skeleton } from '@mantine/core';
import { useDelayed } from './use/use-time';

export function Loading({ label }: { label: string }) {
  const shown = useDelayed(true);
  return (
    <div role="status" className="stack">
      <span className="visually-hidden">{label}</span>
      {shown ? [72, 40, 56].map((width) => <Skeleton key={width} height={18} width={`${width}%`} />) : null}
    </div>
  );
}

/** @param fraction null: unknown */
export const ProgressBar = ({ label, fraction }: { label: string; fraction: number | null }) => (
  <progress className="bar" max={1} aria-label={label} {...(fraction === null ? {} : { value: fraction })} />
);
