export const shortcuts: readonly { readonly keys: string; readonly what: string }[] = [
  { keys: 'Alt+1 … Alt+7', what: 'Go to a page of all settings' },
  { keys: 'Alt+0', what: 'Go to the simple page' },
  { keys: 'Alt+← / Alt+→', what: 'Previous page, next page' },
  { keys: 'Ctrl+Enter', what: 'Start the deployment' },
];

export type WizardKey =
  /** -1: the simple page. */
  | { readonly kind: 'page'; readonly index: number }
  | { readonly kind: 'move'; readonly by: 1 | -1 }
  | { readonly kind: 'run' };

type Pressed = Pick<KeyboardEvent, 'key' | 'code' | 'altKey' | 'ctrlKey' | 'metaKey' | 'shiftKey'>;

function pageKey({ key, code }: Pressed): WizardKey | null {
  if (key === 'ArrowRight') return { kind: 'move', by: 1 };
  if (key === 'ArrowLeft') return { kind: 'move', by: -1 };
  const [, digit] = /^(?:Digit|Numpad)([0-7])$/.exec(code) ?? [];
  return digit === undefined ? null : { kind: 'page', index: Number(digit) - 1 };
}

export function wizardKey(event: Pressed): WizardKey | null {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = event;
  const control = ctrlKey || metaKey;
  if (key === 'Enter' && control && !altKey && !shiftKey) return { kind: 'run' };
  return altKey && !control && !shiftKey ? pageKey(event) : null;
}
