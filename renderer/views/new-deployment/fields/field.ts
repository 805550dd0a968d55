import type { MachineStatus } from '../../../../main/contract/machine';
import type { Preset } from '../../../../main/contract/run/preset';
import type { Keys } from '../../../../main/contract/trees';
import type { Topic } from '../controls/topic-text';

export interface Option {
  /** '': the field is left out. */
  readonly value: string;
  readonly label: string;
  readonly note?: string;
  readonly why?: string | undefined;
}

/** Cards beside each other (grid), one per row (list) or in two columns (pairs); false: options in one line. */
export type Cards = false | 'grid' | 'list' | 'pairs';

export type Control =
  | { readonly kind: 'choice'; readonly cards: Cards; readonly options: readonly Option[] }
  | {
      readonly kind: 'integer';
      readonly min: number;
      /** A name, not an amount: digits are not grouped. */
      readonly isName?: boolean;
      readonly suffix?: string;
      readonly unit?: 'bytes';
      readonly placeholder?: string;
    }
  | { readonly kind: 'number'; readonly min: number; readonly step: number; readonly placeholder?: string }
  | { readonly kind: 'decimal'; readonly placeholder?: string }
  | { readonly kind: 'integers'; readonly mayBeEmpty: boolean; readonly placeholder?: string }
  /** Above 0; the list may be empty. */
  | { readonly kind: 'numbers'; readonly placeholder: string }
  /** A list, or `formula`. */
  | { readonly kind: 'sweep' }
  | { readonly kind: 'text'; readonly placeholder: string }
  | { readonly kind: 'gpus' }
  | { readonly kind: 'path'; readonly pathKind: 'file' | 'folder' | 'either'; readonly placeholder: string }
  | { readonly kind: 'flag' };

export interface Field {
  readonly keys: Keys;
  readonly label: string;
  readonly term: string;
  readonly variable?: string;
  readonly help: string;
  readonly control: Control;
  readonly topic?: Topic;
  readonly idle?: string | undefined;
  readonly wide?: boolean;
}

export interface Section {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly note?: string;
  readonly folded?: boolean;
  readonly open?: boolean;
}

export interface FieldContext {
  readonly preset: Preset;
  readonly presets: readonly Preset[];
  readonly machine: MachineStatus | null;
  readonly hosts?: readonly string[] | undefined;
  readonly value: (...keys: string[]) => unknown;
}

export const pathOf = (field: Pick<Field, 'keys'>): string => field.keys.join('.');
