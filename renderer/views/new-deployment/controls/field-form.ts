import { createContext, useContext } from 'react';
import type { Keys } from '../../../../main/contract/trees';
import type { WizardModel } from '../wizard-model';

/** What the controls of fields need of the form that they are in. */
export interface FieldForm extends Pick<WizardModel, 'problems' | 'valueAt' | 'defaultOf' | 'isChanged'> {
  /** Begins the ids of its controls: two forms may be open at once. */
  readonly name: 'field' | 'measure';
  readonly change: (keys: Keys, value: unknown) => void;
  /** Back to the default. */
  readonly reset: (keys: Keys) => void;
}

const context = createContext<FieldForm | null>(null);
export const FieldFormProvider = context.Provider;

export function useFieldForm(): FieldForm {
  const form = useContext(context);
  if (form === null) throw new Error('useFieldForm is used outside its provider');
  return form;
}
