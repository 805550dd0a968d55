import { useEffect } from 'react';
import { type WizardPage, wizardPages } from '../../stores/draft/wizard-page';
import { useWorkbench } from '../../workbench';
import { useFormView } from './form-view';
import { type WizardKey, wizardKey } from './shortcuts';

function pageAfter(key: WizardKey, page: WizardPage): WizardPage | undefined {
  if (key.kind === 'page') return wizardPages[key.index];
  return key.kind === 'move' ? wizardPages[wizardPages.indexOf(page) + key.by] : undefined;
}

/** The wizard's keys, wherever the focus is on its page. */
export function useWizardKeys(start: () => void): void {
  const { draft, formView } = useWorkbench();
  const view = useFormView();
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const key = wizardKey(event);
      if (key === null || event.defaultPrevented) return;
      event.preventDefault();
      const { page, goTo } = draft.getState();
      const to = key.kind === 'move' && view === 'simple' ? undefined : pageAfter(key, page);
      if (to !== undefined) {
        if (view === 'simple') formView.getState().show('all');
        goTo(to);
      }
      if (key.kind === 'page' && to === undefined) formView.getState().show('simple');
      if (key.kind === 'run') start();
    };
    window.addEventListener('keydown', onKey);
    return () => {
      window.removeEventListener('keydown', onKey);
    };
  }, [draft, formView, view, start]);
}
