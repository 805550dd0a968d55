// @vitest-environment jsdom
import { afterEach, expect, it } from 'vitest';
import { createHelp, helpWidths } from '../../../../renderer/stores/help';

afterEach(() => {
  localStorage.clear();
});

const at = (page: string) => ({ page, heading: null });

it('Back leads through what was read, and closing forgets it', () => {
  const help = createHelp(localStorage);
  for (const page of ['guide/a', 'guide/b', 'guide/c']) help.getState().open(at(page));
  help.getState().back();
  expect(help.getState()).toMatchObject({ place: at('guide/b'), before: [at('guide/a')] });
  help.getState().back();
  help.getState().back();
  expect(help.getState().place).toEqual(at('guide/a'));
  help.getState().close();
  expect(help.getState()).toMatchObject({ place: null, before: [] });
  help.getState().open(at('guide/d'));
  expect(help.getState().before).toEqual([]);
});

it('the width is kept within its limits and for the next time', () => {
  const help = createHelp(localStorage);
  help.getState().resize(512.4);
  expect(createHelp(localStorage).getState().width).toBe(512);
  help.getState().resize(1);
  expect(help.getState().width).toBe(helpWidths.least);
  localStorage.setItem('workbench.help-width', '99999');
  expect(createHelp(localStorage).getState().width).toBe(helpWidths.first);
});
