import type { MachineStatus } from '../../../../main/contract/machine';
import type { Preset } from '../../../../main/contract/run/preset';
import type { Keys } from '../../../../main/contract/trees';
import type { Topic } from '../controls/topic-text';

export interface Option {
  /** '': the field is left out. */
  readonly value: string;
  readonly label: string;
  readonly note?: string;
  /** Why it cannot be chosen here; absent when it can. */
  readonly why?: string | undefined;
}

/** How options are shown as cards: beside each other with the note below, or one to a row; pairs in two columns; false: in one line. */
export type Cards = false | 'grid' | 'list' | 'pairs';

export type Control =
  | { readonly kind: 'choice'; readonly cards: Cards; readonly options: readonly Option[] }
  | {
      readonly kind: 'integer';
      readonly min: number;
      /** A name rather than an amount: its digits stand together. */
      readonly isName?: boolean;
      readonly suffix?: string;
      /** Shown with its size in larger units beside it. */
      readonly unit?: 'bytes';
      readonly placeholder?: string;
    }
  | { readonly kind: 'number'; readonly min: number; readonly step: number; readonly placeholder?: string }
  /** Over many decades, so that 1e-4 can be written as it is. */
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
  /** Triton's or perf_analyzer's own name. */
  readonly term: string;
  /** The published procedures' variable. */
  readonly variable?: string;
  readonly help: string;
  readonly control: Control;
  readonly topic?: Topic;
  /** Why it has no effect here; absent when it has. */
  readonly idle?: string | undefined;
  /** Over both columns. */
  readonly wide?: boolean;
}

export interface Section {
  readonly title: string;
  readonly fields: readonly Field[];
  readonly note?: string;
  /** Closed until it is opened, or until something in it was changed. */
  readonly folded?: boolean;
  /** Takes arguments by other names too. */
  readonly open?: boolean;
}

/** What decides which fields and options there are. */
export interface FieldContext {
  readonly preset: Preset;
  readonly presets: readonly Preset[];
  readonly machine: MachineStatus | null;
  /** Names of the other machines to run on. */
  readonly hosts?: readonly string[] | undefined;
  /** Value that a field has now: chosen, or by default. */
  readonly value: (...keys: string[]) => unknown;
}

export const pathOf = (field: Pick<Field, 'keys'>): string => field.keys.join('.');
