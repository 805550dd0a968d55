import { act } from 'react';

/** As a person types into the field of this label: React reads the value through its own setter. */
export async function typeInto(label: string, value: string, place = 0): Promise<HTMLInputElement> {
  const labels = [...document.querySelectorAll('label')].filter(
    ({ textContent }) => textContent.replace(/ \*$/, '') === label,
  );
  const field = document.getElementById(labels[place]?.htmlFor ?? '');
  if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) throw new Error(label);
  const { prototype } = field instanceof HTMLInputElement ? HTMLInputElement : HTMLSelectElement;
  await act(async () => {
    Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value);
    field.dispatchEvent(new Event(field instanceof HTMLInputElement ? 'input' : 'change', { bubbles: true }));
    await Promise.resolve();
  });
  return field as HTMLInputElement;
}
