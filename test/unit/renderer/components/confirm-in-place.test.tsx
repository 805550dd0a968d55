// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { AskFirst } from '../../../../renderer/components/confirm-in-place';
import { createClientDouble } from '../client-double';
import { mount } from '../mounted';

it('does nothing before the question is answered, and gives the focus back to the button that asked', async () => {
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
      {(ask) => (
        <span>
          <button>Repair</button>
          <button onClick={ask}>Remove</button>
        </span>
      )}
    </AskFirst>,
  );
  const ask = async () => {
    mounted.button('Remove').focus();
    await mounted.click(mounted.button('Remove'));
  };
  const focused = () => document.activeElement?.textContent;
  await ask();
  expect(mounted.page.textContent).toContain('Remove it?');
  expect(focused()).toBe('Keep');
  await mounted.click(mounted.button('Keep'));
  expect(done).toBe(0);
  expect(focused()).toBe('Remove');
  await ask();
  await mounted.click(mounted.button('Yes'));
  expect(done).toBe(1);
  expect(focused()).toBe('Remove');
  mounted.unmount();
});
