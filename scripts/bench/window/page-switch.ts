import type { Page } from '@playwright/test';
import { median } from '../pairs';

const pages = [
  ...['New deployment', 'Studies', 'Deployments', 'Monitor', 'Containers', 'Compare'],
  ...['Environment', 'Hosts', 'Runs'],
] as const;

/** Runs in the page. @returns milliseconds from the click in the rail to the frame after the one that has the page's heading */
async function switchTo(name: string): Promise<number> {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const entries = [...document.querySelectorAll<HTMLElement>('nav[aria-label="Pages"] button')];
  const entry = entries.find(({ textContent }) => textContent.trim().startsWith(name));
  if (entry === undefined) throw new Error(`The rail has no entry ${name}`);
  const startedMs = performance.now();
  entry.click();
  while (document.querySelector('h1')?.textContent !== name) {
    if (performance.now() - startedMs > 5000) throw new Error(`${name} does not open`);
    await frame();
  }
  await frame();
  return performance.now() - startedMs;
}

/** Milliseconds of the slowest page: when it is opened for the first time, and as the median of later visits. */
export async function switchTimes(
  page: Page,
  rounds: number,
): Promise<{ readonly first: readonly [string, number]; readonly later: readonly [string, number] }> {
  const timesOf = new Map<string, number[]>(pages.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, times] of timesOf) times.push(await page.evaluate(switchTo, name));
  }
  const slowest = (of: (times: readonly number[]) => number): readonly [string, number] =>
    [...timesOf]
      .map(([name, times]) => [name, of(times)] as const)
      .reduce((most, one) => (one[1] > most[1] ? one : most));
  return { first: slowest(([first = NaN]) => first), later: slowest((times) => median(times.slice(1))) };
}

interface Opening {
  clickedMs: number;
  drawnMs: number;
}

/** Runs in the page: notes the next click, and the frame after the one that has the first line in the chart of windows. */
function noteOpening(): void {
  const opening: Opening = { clickedMs: NaN, drawnMs: NaN };
  Object.assign(globalThis, { opening });
  const onClick = ({ timeStamp }: Event) => {
    opening.clickedMs = timeStamp;
  };
  document.addEventListener('click', onClick, { capture: true, once: true });
  const observer = new MutationObserver(() => {
    if (document.querySelector('[data-chart="windows"] .plot .scatterlayer .trace') === null) return;
    observer.disconnect();
    requestAnimationFrame(() => {
      opening.drawnMs = performance.now();
    });
  });
  observer.observe(document.body, { subtree: true, childList: true });
}

/** Opens the run from the list. @returns milliseconds from the click to its drawn chart of windows, which is scrolled to meanwhile */
export async function openingTime(page: Page, runId: string): Promise<number> {
  await page.evaluate(noteOpening);
  await page.locator(`[data-run="${runId}"] .run-name`).click();
  const chart = page.locator('[data-chart="windows"]');
  await chart.scrollIntoViewIfNeeded();
  await chart.locator('.plot .scatterlayer .trace').first().waitFor();
  const took = await page.waitForFunction(
    () => {
      const { clickedMs, drawnMs } = (globalThis as unknown as { readonly opening: Opening }).opening;
      return Number.isNaN(drawnMs) ? null : drawnMs - clickedMs;
    },
    undefined,
    { polling: 50 },
  );
  return (await took.jsonValue()) ?? NaN;
}
