import { IconAlertTriangle, IconCircleCheck, IconCircleDashed } from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { MachineStatus } from '../../../main/contract/machine';
import { useWorkbench } from '../../workbench';
import { type MachineRow, machineRows } from './machine-row-text';

const looks = {
  here: [IconCircleCheck, 'tone-good', 'Available'],
  missing: [IconAlertTriangle, 'tone-warn', 'Missing'],
  absent: [IconCircleDashed, 'dim', 'Not on this machine'],
} as const;

const Row = ({ row }: { row: MachineRow }) => {
  const [Glyph, tone, word] = looks[row.state];
  return (
    <li data-machine={row.id} data-state={row.state}>
      <Glyph size={16} className={tone} aria-label={word} role="img" />
      <strong>{row.title}</strong>
      <span className="dim">{row.text}</span>
    </li>
  );
};

/** What is here and what is missing, before the first run; the Environment page has the remedies. */
export function MachineRows() {
  const { machine, route } = useWorkbench();
  const status: MachineStatus | null = useStore(machine, ({ value }) => value);
  if (status === null) return null;
  return (
    <section className="panel machine-rows" aria-label="This machine">
      <ul>
        {machineRows(status).map((row) => (
          <Row key={row.id} row={row} />
        ))}
      </ul>
      <button
        type="button"
        className="plain-button link"
        onClick={() => {
          route.getState().go({ page: 'environment' });
        }}
      >
        All checks, and what to install, on the Environment page
      </button>
    </section>
  );
}
