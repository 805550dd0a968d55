import { damageText } from '../../../main/contract/journal-damage';

/** Says which lines of the run's journal are damaged, and what may be missing from this page. */
export function DamageNotice({ lines }: { lines: readonly number[] }) {
  const text = damageText(lines);
  return text === null ? null : (
    <section className="panel verdict unverified" role="status">
      {text}
    </section>
  );
}
