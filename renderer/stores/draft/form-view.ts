import { createStore, type StoreApi } from 'zustand/vanilla';

const views = ['simple', 'all'] as const;
/** A deployment on one page of its main fields, or on seven pages with every field. */
export type FormViewName = (typeof views)[number];

export interface FormView {
  readonly view: FormViewName;
  readonly show: (view: FormViewName) => void;
}

const key = 'workbench.form-view';

export function createFormView(storage: Storage): StoreApi<FormView> {
  return createStore<FormView>()((set) => ({
    view: views.find((known) => known === storage.getItem(key)) ?? 'simple',
    show: (view) => {
      storage.setItem(key, view);
      set({ view });
    },
  }));
}
