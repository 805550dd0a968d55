export const onText =
  (set: (text: string) => void) =>
  (event: { readonly currentTarget: { readonly value: string } }): void =>
    set(event.currentTarget.value);

export const onTick =
  (set: (checked: boolean) => void) =>
  (event: { readonly currentTarget: { readonly checked: boolean } }): void =>
    set(event.currentTarget.checked);

export const stopClick = (event: { stopPropagation: () => void }): void => event.stopPropagation();
