import { SegmentedControl } from '@mantine/core';
import { useStore } from 'zustand';
import type { FormViewName } from '../../stores/draft/form-view';
import type { WizardPage } from '../../stores/draft/wizard-page';
import { useWorkbench } from '../../workbench';

/** A change of a run shows all pages: each says what is kept. */
export function useFormView(): FormViewName {
  const { draft, formView } = useWorkbench();
  const isChange = useStore(draft, ({ changing }) => changing !== null);
  const view = useStore(formView, (state) => state.view);
  return isChange ? 'all' : view;
}

export function useGoToField(): (path: string | null, page: WizardPage) => void {
  const { draft, formView } = useWorkbench();
  const view = useFormView();
  return (path, page) => {
    const field = () => (path === null ? null : document.getElementById(`field-${path}`));
    const focus = (): void => {
      const place = field();
      for (let box = place?.closest('details'); box; box = box.parentElement?.closest('details'))
        box.setAttribute('open', '');
      place?.scrollIntoView({ block: 'center' });
      place?.focus();
    };
    if (view === 'simple') {
      if (field() !== null) {
        focus();
        return;
      }
      formView.getState().show('all');
    }
    draft.getState().goTo(page);
    // Once the page is there and its heading has had the focus.
    setTimeout(focus, 60);
  };
}

export function useShowProblems(): () => void {
  const { draft } = useWorkbench();
  const view = useFormView();
  return () => {
    if (view === 'all') draft.getState().goTo('review');
    else document.getElementById('wizard-problems')?.focus();
  };
}

const views: { value: FormViewName; label: string }[] = [
  { value: 'simple', label: 'Simple' },
  { value: 'all', label: 'All settings' },
];

export function FormViewSwitch() {
  const { formView } = useWorkbench();
  const { view, show } = useStore(formView);
  return <SegmentedControl size="xs" aria-label="Settings shown" data={views} value={view} onChange={show} />;
}
