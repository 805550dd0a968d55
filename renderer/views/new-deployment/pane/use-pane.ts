import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import type { WizardPage } from '../../../stores/draft/wizard-page';
import type { PaneTab } from './pane';

interface PaneState {
  readonly open: boolean;
  readonly tab: PaneTab;
  readonly fold: (open: boolean) => void;
  readonly setTab: (tab: PaneTab) => void;
}

/** Folded until asked for where the editor of config.pbtxt takes its place, and in a narrow window. */
export function usePane(page: WizardPage): PaneState {
  const kind = page === 'configure' ? 'configure' : 'form';
  const wide = useMediaQuery('(min-width: 1180px)', true, { getInitialValueInEffect: false });
  const [chosen, setChosen] = useLocalStorage<Partial<Record<string, boolean>>>({
    key: 'workbench.wizard-pane',
    defaultValue: {},
    getInitialValueInEffect: false,
  });
  const [tab, setTab] = useState<PaneTab>('plan');
  const open = chosen[kind] ?? (wide && kind === 'form');
  const fold = (next: boolean): void => {
    setChosen({ ...chosen, [kind]: next });
  };
  return {
    open,
    tab,
    fold,
    setTab,
  };
}
