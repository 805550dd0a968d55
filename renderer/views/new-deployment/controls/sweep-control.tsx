import type { Field } from '../fields/field';
import { parseIntegers } from '../read-text';
import { useWizard } from '../wizard-context';
import type { ControlProps } from './field-frame';
import { TextControl } from './text-control';

/** A list of levels, or the formula of the published deployments over largest batch and instances. */
export function SweepControl({ field, frame }: { field: Field; frame: ControlProps }) {
  const { draft, valueAt } = useWizard();
  const formula = valueAt(field.keys) === 'formula';
  const computed = draft.preview?.spec?.performance.concurrency ?? [];
  return (
    <div className="sweep">
      {formula ? (
        <div>
          <output id={frame.id} className="sweep-levels" tabIndex={-1}>
            {computed.length === 0 ? '…' : computed.join(', ')}
          </output>
          {frame.error === undefined ? null : <p className="field-error">{frame.error}</p>}
          <p className="field-help">
            Twice as many items under way as all instances take at once, in about 32 steps, up to 256
            requests.
          </p>
        </div>
      ) : (
        <TextControl
          field={field}
          frame={frame}
          read={(text) => {
            const read = parseIntegers(text, false);
            return typeof read === 'string' ? text : read;
          }}
        />
      )}
      <label className="sweep-formula">
        <input
          type="checkbox"
          checked={formula}
          onChange={(event) => {
            if (event.currentTarget.checked) draft.change(field.keys, 'formula');
            else draft.reset(field.keys);
          }}
        />
        By formula
      </label>
    </div>
  );
}
