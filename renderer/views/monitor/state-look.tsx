import type { StateLook } from './monitor-text';

/** A state as icon and word; the colour only says it again. */
export function StateText({ look, state }: { look: StateLook; state: string }) {
  const { icon: StateIcon, tone, text } = look;
  return (
    <span className={`status tone-${tone}`} data-state={state}>
      <StateIcon size={15} aria-hidden="true" className={tone === 'info' ? 'turning' : undefined} />
      {text}
    </span>
  );
}
