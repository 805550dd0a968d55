import type { RunState } from '../../../main/contract/run-state';
import { changesText } from '../../../main/contract/spec-changes';
import { formatWhen } from '../../format/times';

/** When the specification was changed, and what; nothing for a run that is as it was created. */
export function ChangesNotice({ changes }: { changes: RunState['specChanges'] }) {
  if (changes.length === 0) return null;
  return (
    <section className="panel panel-body stack" aria-label="Specification changes">
      {changes.map(({ at, changed }) => (
        <div key={at}>
          Specification changed {formatWhen(at)}: <span className="mono">{changesText(changed)}</span>
        </div>
      ))}
    </section>
  );
}
