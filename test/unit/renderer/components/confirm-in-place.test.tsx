// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { AskFirst } from '../../../../renderer/components/confirm-in-place';
import { createClientDouble } from '../client-double';
import { mount } from '../mounted';

it('does nothing before the question is answered, and says that it was there', async () => {
  let done = 0;
  const mounted = await mount(
    createClientDouble({}).client,
    <AskFirst
      question="Remove it?"
      action="Yes"
      onConfirm={() => {
        done += 1;
      }}
    >
      {(ask, asked) => <button onClick={ask}>{asked ? 'Remove again' : 'Remove'}</button>}
    </AskFirst>,
  );
  await mounted.click(mounted.button('Remove'));
  expect(mounted.page.textContent).toContain('Remove it?');
  await mounted.click(mounted.button('Keep'));
  expect(done).toBe(0);
  await mounted.click(mounted.button('Remove again'));
  await mounted.click(mounted.button('Yes'));
  expect(done).toBe(1);
  expect(mounted.page.querySelector('button')?.textContent).toBe('Remove again');
  mounted.unmount();
});
