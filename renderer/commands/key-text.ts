type Keys = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** A key press as shortcuts are written: "Ctrl+K", "Ctrl+Shift+L", "?"; Command counts as Ctrl. */
export function keyText(event: Keys): string {
  const key = event.key.length === 1 ? event.key.toUpperCase() : event.key;
  // A letter with Ctrl says Shift; a sign such as "?" has it in itself.
  const shift = event.shiftKey && (event.ctrlKey || event.metaKey || key.length > 1);
  return [event.ctrlKey || event.metaKey ? 'Ctrl' : '', event.altKey ? 'Alt' : '', shift ? 'Shift' : '', key]
    .filter(Boolean)
    .join('+');
}

/** Inputs that take no text: single keys are shortcuts there too. */
const textless = /^(radio|checkbox|button|submit|range|file|color)$/;

/** Whether the press belongs to a text that is being written, where single keys are letters. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !textless.test(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}
