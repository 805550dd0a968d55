import { createContext, useContext } from 'react';
import type { Keys } from '../../../../main/contract/trees';
import type { WizardModel } from '../wizard-model';

export interface FieldForm extends Pick<WizardModel, 'problems' | 'valueAt' | 'defaultOf' | 'isChanged'> {
  /** Prefix of ids: two forms may be open at once. */
  readonly name: 'field' | 'measure';
  readonly change: (keys: Keys, value: unknown) => void;
  readonly reset: (keys: Keys) => void;
}

const context = createContext<FieldForm | null>(null);
export const FieldFormProvider = context.Provider;

export function useFieldForm(): FieldForm {
  const form = useContext(context);
  if (form === null) throw new Error('useFieldForm is used outside its provider');
  return form;
}
