import { servedBy } from '../../../../main/domain/run/served-by';
import { durationText, plannedMeasuringS } from '../../../../main/domain/run/time-left';
import { LinkButton } from '../../../components/links';
import { useWorkbench } from '../../../workbench';
import { changesText } from '../changes';
import { useNamedChanges } from '../named-changes';
import { Verdict } from '../pages/problem-list';
import { FieldLink, ResetButton } from '../pages/review';
import { planText } from '../plan-text';
import { useWizard } from '../wizard-context';

/** "10 steps, about 27 s of measuring", and the steps on demand. */
function Plan() {
  const { draft, preset } = useWizard();
  const spec = draft.preview?.spec ?? null;
  if (spec === null) return <p className="dim">Fix the problems in the form to see the steps.</p>;
  const steps = planText(spec, preset.metrics);
  const seconds = plannedMeasuringS(spec.performance);
  return (
    <details className="summary-plan">
      <summary>
        {steps.length} steps{seconds === null ? '' : `, about ${durationText(seconds)} of measuring`}
      </summary>
      <ol>
        {steps.map(({ step, title, what }) => (
          <li key={step}>
            {title} <span className="plan-what">{what}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}

function Changes() {
  const changes = useNamedChanges();
  if (changes.length === 0) return <p className="dim">Every setting has its default.</p>;
  return (
    <ul className="summary-changes">
      {changes.map(({ path, label, from, to, reset }) => (
        <li key={path} data-change={path}>
          <div className="summary-change">
            <FieldLink path={path} label={label} />
            <div className="cut" title={`${from} → ${to}`}>
              <span className="dim">{from} →</span> {to}
            </div>
          </div>
          <ResetButton label={`Set ${label} back to the default`} onClick={reset} />
        </li>
      ))}
    </ul>
  );
}

function Server() {
  const spec = useWizard().draft.preview?.spec ?? null;
  if (spec === null) return null;
  const served = servedBy(spec);
  return (
    <section aria-label="Served by">
      <h3>Served by</h3>
      <p>
        {served.backend}, {served.place}
      </p>
      {served.insteadOf === null ? null : (
        <p className="dim">The figures are not those of Triton’s {served.insteadOf} backend.</p>
      )}
    </section>
  );
}

export function Summary() {
  const { formView } = useWorkbench();
  const { changes } = useWizard();
  return (
    <aside className="simple-summary" aria-label="Summary" tabIndex={0}>
      <Verdict />
      <section aria-label="Plan">
        <h3>What runs</h3>
        <Plan />
      </section>
      <Server />
      <section aria-label="Changes from the defaults">
        <h3>{changes.length === 0 ? 'No changes' : changesText(changes.length)}</h3>
        <Changes />
      </section>
      <LinkButton onClick={() => formView.getState().show('all')}>All settings, on seven pages</LinkButton>
    </aside>
  );
}
