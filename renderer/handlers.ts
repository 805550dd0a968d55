/** Gives on what is typed into a field. */
export const onText =
  (set: (text: string) => void) =>
  (event: { readonly currentTarget: { readonly value: string } }): void =>
    set(event.currentTarget.value);

/** Gives on whether a box is ticked. */
export const onTick =
  (set: (checked: boolean) => void) =>
  (event: { readonly currentTarget: { readonly checked: boolean } }): void =>
    set(event.currentTarget.checked);

/** Of what has clicks of its own in a row that can be clicked. */
export const stopClick = (event: { stopPropagation: () => void }): void => event.stopPropagation();
