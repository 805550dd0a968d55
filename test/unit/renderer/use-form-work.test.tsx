// @vitest-environment jsdom
import { act } from 'react';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, expect, it } from 'vitest';
import { WorkbenchError } from '../../../main/contract/errors';
import { onSubmit, useFormWork } from '../../../renderer/use-form-work';

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

let root: Root | undefined;
afterEach(() => {
  act(() => root?.unmount());
});

/** A form that works until `end` is called, with the answer or the failure of that work. */
function shown() {
  const works: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[] = [];
  function Form() {
    const { busy, error, begin } = useFormWork<'check' | 'add'>();
    const work = () =>
      new Promise<void>((resolve, reject) => {
        works.push({ resolve, reject });
      });
    return (
      <form
        onSubmit={onSubmit(() => {
          begin('add', work);
        })}
      >
        <p>{`${busy ?? 'idle'} ${error?.code ?? 'fine'}`}</p>
        <button
          type="button"
          onClick={() => {
            begin('check', work);
          }}
        />
      </form>
    );
  }
  const page = document.createElement('div');
  root = createRoot(page);
  act(() => root?.render(<Form />));
  const submitted = () => {
    const event = new Event('submit', { bubbles: true, cancelable: true });
    act(() => {
      page.querySelector('form')?.dispatchEvent(event);
    });
    return event;
  };
  const check = () => {
    act(() => {
      page.querySelector('button')?.click();
    });
  };
  document.body.append(page);
  return { works, submitted, check, text: () => page.querySelector('p')?.textContent };
}

it('does the work of a form once, however often it is submitted meanwhile, and in place of the browser', async () => {
  const { works, submitted, check, text } = shown();
  expect(submitted().defaultPrevented).toBe(true);
  submitted();
  check();
  expect([works.length, text()]).toEqual([1, 'add fine']);
  await act(async () => {
    works[0]?.resolve();
    await Promise.resolve();
  });
  expect(text()).toBe('idle fine');
  check();
  expect([works.length, text()]).toEqual([2, 'check fine']);
});

it('shows why the work failed until it is begun again', async () => {
  const { works, submitted, text } = shown();
  submitted();
  await act(async () => {
    works[0]?.reject(new WorkbenchError('input-invalid', 'No'));
    await Promise.resolve();
  });
  expect(text()).toBe('idle input-invalid');
  submitted();
  expect(text()).toBe('add fine');
});
