import { useEffect } from 'react';
import type { WizardKey } from './shortcuts';
import { wizardKey } from './shortcuts';

/** The wizard's keys, wherever the focus is on its page. */
export function useWizardKeys(act: (key: WizardKey) => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const key = wizardKey(event);
      if (key === null || event.defaultPrevented) return;
      event.preventDefault();
      act(key);
    };
    window.addEventListener('keydown', hear);
    return () => {
      window.removeEventListener('keydown', hear);
    };
  }, [act]);
}
