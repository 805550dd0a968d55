import type { ImportSource } from '../../../main/contract/imported';
import { importKindText } from '../../../main/contract/imported';

/** Says that nothing of this run was measured here, where it is from, and what nobody knows of it. */
export function ImportPanel({ source }: { source: ImportSource }) {
  return (
    <section className="panel verdict unverified" role="status" aria-label="Imported">
      <p>
        Imported from <strong>{source.fileName}</strong> ({importKindText[source.kind]}): not measured here.
        Machine, Triton and parameters are unknown; – marks values that are not in the file.
      </p>
      <ul>
        {source.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </section>
  );
}
