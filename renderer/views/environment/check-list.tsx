import { IconAlertTriangle, IconCircleCheck, IconCircleMinus, IconCircleX } from '@tabler/icons-react';
import type { Check } from '../../../main/contract/machine';
import { Remedy } from '../../components/copy-button';
import { Panel } from '../../components/panel';
import { InstallTools } from '../../components/setup/install-tools';
import { Status, type StatusWord } from '../../components/status-text';

const styles: Readonly<Record<Check['status'], StatusWord>> = {
  ok: { icon: IconCircleCheck, tone: 'good', text: 'OK' },
  warning: { icon: IconAlertTriangle, tone: 'warn', text: 'Warning' },
  problem: { icon: IconCircleX, tone: 'bad', text: 'Problem' },
  'not-applicable': { icon: IconCircleMinus, tone: 'dim', text: 'Not needed' },
};

function CheckLine({ check, installable }: { check: Check; installable: boolean }) {
  return (
    <li className="check" data-check={check.id} data-status={check.status}>
      <Status {...styles[check.status]} />
      <span className="check-title">{check.title}</span>
      <div className="column check-finding">
        <p>{check.finding}</p>
        {check.id === 'tools' && installable ? (
          <InstallTools brief />
        ) : check.remedy === null ? null : (
          <Remedy text={check.remedy} />
        )}
      </div>
    </li>
  );
}

export function CheckList({ checks, installable }: { checks: readonly Check[]; installable: boolean }) {
  const applied = checks.filter((check) => check.status !== 'not-applicable');
  const rest = checks.filter((check) => check.status === 'not-applicable');
  const lines = (of: readonly Check[]) => (
    <ul>
      {of.map((check) => (
        <CheckLine key={check.id} check={check} installable={installable} />
      ))}
    </ul>
  );
  return (
    <Panel title="Preflight">
      {lines(applied)}
      {rest.length === 0 ? null : (
        <details className="checks-rest">
          <summary className="dim">
            {rest.length === 1 ? '1 check does' : `${rest.length} checks do`} not apply here
          </summary>
          {lines(rest)}
        </details>
      )}
    </Panel>
  );
}
