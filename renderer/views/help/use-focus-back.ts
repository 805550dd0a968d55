import { useEffect, useRef } from 'react';

const helpParts = '[role="dialog"], [role="menu"], .help-pane';

/** What is closed gives the focus to where it was before: menus and dialogs through which help was opened are passed over. */
export function useFocusBack(opened: boolean): void {
  const last = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const onFocus = ({ target }: FocusEvent): void => {
      if (target instanceof HTMLElement && target.closest(helpParts) === null) last.current = target;
    };
    document.addEventListener('focusin', onFocus);
    return () => document.removeEventListener('focusin', onFocus);
  }, []);
  useEffect(() => {
    if (!opened) return undefined;
    return () => last.current?.focus();
  }, [opened]);
}
