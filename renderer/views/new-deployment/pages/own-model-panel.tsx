import { useWizard } from '../wizard-context';
import { OwnModelChoice } from './own-model-choice';
import { OwnModelInUse } from './own-model-in-use';
import { TensorTable } from './signature-table';

const nothing = (): void => undefined;

/** A model of the engineer's own, before the presets, with its tensors where it is in use. */
export function OwnModelPanel() {
  const path = useWizard().valueAt(['model', 'source', 'path']);
  const inUse = typeof path === 'string' ? path : null;
  return (
    <section className="panel" aria-label="Your own model" data-chosen={inUse !== null}>
      <div className="panel-head">
        <h3>Your own model</h3>
        {inUse === null ? <span className="dim">or choose a preset below</span> : null}
      </div>
      <div className="panel-body">
        {inUse === null ? null : <OwnModelInUse path={inUse} />}
        <OwnModelChoice inUse={inUse} onTaken={nothing} />
      </div>
      {inUse === null ? null : <TensorTable />}
    </section>
  );
}
