import { IconCircleCheck } from '@tabler/icons-react';
import { Panel } from '../../../components/panel';
import { useWizard } from '../wizard-context';
import { ProblemList } from './problem-list';

/** What keeps the run from starting, with the way to each field; or that nothing does. */
export function Verdict() {
  const { problems, ready } = useWizard();
  if (problems.length > 0) {
    return (
      <Panel title={ready ? 'Before you start' : 'Fix these first'} label="Problems" level={3}>
        <div className="panel-body" id="wizard-problems" tabIndex={-1}>
          <ProblemList problems={problems} linked />
        </div>
      </Panel>
    );
  }
  return ready ? (
    <p className="ready tone-good">
      <IconCircleCheck size={16} aria-hidden="true" />
      Ready to run.
    </p>
  ) : null;
}
