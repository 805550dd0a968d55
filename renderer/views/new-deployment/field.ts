export interface Option {
  readonly value: string;
  readonly label: string;
  /** Why it cannot be chosen here; absent when it can. */
  readonly why?: string;
}

export type Control =
  | {
      readonly kind: 'choice';
      readonly options: readonly Option[];
      /** How the list says that nothing is chosen; absent where something must be. */
      readonly none?: string;
    }
  | { readonly kind: 'integer'; readonly min: number; readonly suffix?: string }
  | { readonly kind: 'number'; readonly min: number; readonly step: number }
  | { readonly kind: 'integers'; readonly mayBeEmpty: boolean }
  /** One text; `texts`: several, comma-separated. */
  | { readonly kind: 'text' | 'texts'; readonly placeholder: string }
  | { readonly kind: 'flag' };

export interface Field {
  /** Dotted path in the run specification. */
  readonly path: string;
  readonly label: string;
  /** Triton's, perf_analyzer's or upstream's own name. */
  readonly term: string;
  readonly help: string;
  readonly control: Control;
}

export interface FieldGroup {
  readonly title: string;
  readonly fields: readonly Field[];
}
