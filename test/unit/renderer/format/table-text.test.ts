// @vitest-environment jsdom
import { expect, it } from 'vitest';
import { tableText } from '../../../../renderer/format/table-text';

function tableOf(html: string): HTMLTableElement {
  document.body.innerHTML = `<table>${html}</table>`;
  const table = document.querySelector('table');
  if (table === null) throw new Error('No table');
  return table;
}

it('has a line per row and a tab between cells, and what is on lines of its own apart by a space', () => {
  const table = tableOf(
    `<thead><tr><th></th><th colspan="2">Load</th></tr><tr><th>State</th><th>p99
      (ms)</th><th>Run</th></tr></thead>
     <tbody><tr><td>steady</td><td>7.54<span style="display:block">± 0.20</span></td><td>a\tb</td></tr></tbody>`,
  );
  expect(tableText(table)).toBe('\tLoad\t\nState\tp99 (ms)\tRun\nsteady\t7.54 ± 0.20\ta b');
});

it('gives a spreadsheet no formula, and leaves numbers with a sign', () => {
  const table = tableOf(
    '<tr><td>=HYPERLINK("x")</td><td>@SUM(1)</td><td>+cmd</td><td>+12 %</td><td>-3.5</td></tr>',
  );
  expect(tableText(table)).toBe(`'=HYPERLINK("x")\t'@SUM(1)\t'+cmd\t+12 %\t-3.5`);
});
