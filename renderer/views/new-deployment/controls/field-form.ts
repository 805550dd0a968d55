import { createContext, use } from 'react';
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

/** A context of its own: React renders what reads the outer of two providers of one context, also below the inner. */
const ownContext = createContext<FieldForm | null>(null);
/** The form as one field sees it, which is another only where something of the field is. */
export const OwnFormProvider = ownContext.Provider;

export function useFieldForm(): FieldForm {
  const form = use(ownContext) ?? use(context);
  if (form === null) throw new Error('useFieldForm is used outside its provider');
  return form;
}
